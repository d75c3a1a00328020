/**
 * The sentences of exercises. Those of each kind rise from plain ones to those with pronouns, with
 * speech, and with somebody or something else in between. B is a girl where A is a boy, and the
 * other way round.
 */
export const HAS = [
  '{A} had {x.a}.',
  '{A} took {x.a}.',
  '{A} got {x.a}.',
  '{x.The} belonged to {A}.',
  '{x.The} {x.was} for {A}.',
  'There was {x.a} for {A}.',
  '{A} picked up {x.a}.',
  '{A} bought {x.a}.',
  '{A} carried {x.a}.',
  '{x.A} came to {A}.',
  '{A} found {x.a} and kept {x.it}.',
  '{A} saw {x.a}. {A.He} picked {x.it} up.',
  '"Look, {x.a}!" said {A}, and took {x.it}.',
  '{A} came with {B}. {A.He} carried {x.a}.',
  'Grandma had {x.a} for {A}, and {A.he} took {x.it}.',
  '{B} showed {A} {x.a}. {A.He} got {x.it} in the end.',
];
/** It was another's. */
export const HAS_NOW = [
  'Then {A} took {x}.',
  'Then {x} went to {A}.',
  '{A} got {x} in the end.',
  '{B} gave {x} to {A}.',
  '{A} took {x} from {B}.',
  '{B} gave {A} {x}.',
  '{B} was tired, so {A} took {x} from {B.him}.',
  '{B} threw {x} high, and {A} caught {x.it}.',
  '{A} came along. {B} gave {A.him} {x}.',
  '"Here," said {B}, and {A} took {x}.',
  '{B} put down {x} for one second, and {A} had {x.it}.',
  '{B} gave {x} to {A}, because {B.he} was in a good mood.',
  '"May I have {x}?" asked {A}, and {B} gave {x.it} to {A.him}.',
  '{B} looked at {x}. Then {B.he} gave {x.it} to {A}.',
  '"I have had {x} for long enough," said {B}. So {A} got {x.it}.',
];
/** It lay in a place. */
export const FETCHED = [
  'Then {A} took {x}.',
  '{A} found {x} and kept {x.it}.',
  'But {A} fetched {x}.',
  'Now {A} had {x}.',
  '{A} picked up {x}.',
  '{A} went there and took {x}.',
  'While {B} was away, {A} took {x} back.',
  '{A} looked around. Then {A.he} took {x}.',
  'There {A} found {x}. {A.He} would not let go of {x.it}.',
];
export const PUT = [
  '{A} put {x.a} {p}.',
  '{A} hid {x.a} {p}.',
  '{A} left {x.a} {p}.',
  '{A} picked up {x.a} and put {x.it} {p}.',
  '{p.At}, {A} laid down {x.a}.',
  '{A} found {x.a} and hid {x.it} {p}.',
  '{x.A} ended up {p}, because {A} threw well.',
  '{A} took {x.a}. {A.He} put {x.it} {p}.',
  '{A} had {x.a}, but {A.he} left {x.it} {p}.',
  '{A} and {B} found {x.a}. {A} put {x.it} {p}.',
  '"I hid {x.a} {p}," said {A}.',
  '{A} came with {B}. {A.He} left {x.a} {p}.',
  '{A} showed {B} {x.a}. {B} liked {x.it}, so {A.he} hid {x.it} {p}.',
  '{A} was busy with {x.a}. In the end {A.he} put {x.it} {p}.',
  '{B} gave {x.a} to {A}, and {A.he} hid {x.it} {p}.',
  '"And {x}?" asked {B}. "{p.At}," said {A}, who had put {x.it} there.',
];
/** Somebody had it, or it lay elsewhere. */
export const PUT_NOW = [
  'Then {A} put {x} {p}.',
  '{A} moved {x}, and left {x.it} {p}.',
  '{A} took {x} out again and put {x.it} {p}.',
  '{A} carried {x} away and hid {x.it} {p}.',
  'In the hurry {A} left {x} {p}.',
  'Nobody wanted {x}, so {A} put {x.it} {p}.',
  'Then {A} came. {A.He} put {x} {p}.',
  'But {A} had second thoughts. {A.He} took {x} and put {x.it} {p}.',
  '{A} set {x} down {p}, and {B} ran.',
  'When {B} was gone, {A} carried {x} away and hid {x.it} {p}.',
  '{B} looked for {x}, but {A} had hidden {x.it} {p}.',
  '{A} began to laugh. {A.He} had put {x} {p}.',
  '"I borrowed {x}," said {A}, "and I left {x.it} {p}."',
  '{A} took {x} to a new place. Now {x.they} {x.was} {p}.',
  '{B} went red. "I know," said {A}. "I put {x} {p}."',
];
export const LIES = ['{p.At} lay {x.a}.', 'There was {x.a} {p}.', 'They found {x.a} {p}.'];
export const LISTS = [
  '{A} {did} {x.a}, {y.a} and {z.a}.',
  'First {A} {did} {x.a}, then {y.a}, and last of all {z.a}.',
  'First {A} {did} {x.a}. Then {A.he} {did} {y.a}. In the end {A.he} {did} {z.a}.',
];
export const VERBS = [
  ['pack', 'packed'],
  ['buy', 'bought'],
  ['find', 'found'],
];
export const COUNTED = ['"{x.The}, {y} and {z}," {A} counted.', '{B} looked at {x}, {y} and {z}.'];
