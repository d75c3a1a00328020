"""Renders templates with jinja2 set up as transformers does.

Standard input: {"variables": {...}, "templates": ["..."]}. Standard output: for each template
{"text": "..."} or {"error": "..."}.
"""

import copy
import json
import sys

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    """The block that marks the tokens a model wrote; it prints its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("print_body")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def print_body(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def strftime_now(form):
    from datetime import datetime

    return datetime.now().strftime(form)


environment = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
)
environment.filters["tojson"] = tojson
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = strftime_now


def rendered(template, variables):
    try:
        return {"text": environment.from_string(template).render(**copy.deepcopy(variables))}
    except Exception as error:  # any failure is an answer here
        return {"error": f"{type(error).__name__}: {error}"}


given = json.load(sys.stdin)
json.dump([rendered(one, given["variables"]) for one in given["templates"]], sys.stdout)
