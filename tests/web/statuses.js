/** The statements of all panels: their verdicts by default, and as a page shows them. */

/** By panel, when nobody has touched anything. */
export const BY_PANEL = {
  'one-look': { C0: 'holds', 'C0-mean': 'holds', 'C0-budget': 'holds', 'C0-spent': 'holds' },
  'many-heads': {
    C2: 'holds',
    C3: 'holds',
    C4: 'holds',
    C5: 'holds',
    C6: 'holds',
    'C7-heads': 'holds',
    values: 'holds',
    seen: 'holds',
  },
  trust: { C8: 'holds', C9: 'holds', C10: 'holds' },
  commitment: { C13: 'holds', C11: 'holds', C14: 'holds', C7: 'holds' },
  compromise: { C15: 'holds', C16: 'holds', 'C15-merge': 'holds' },
  distance: {
    'C1-float64': 'holds',
    'C1-float32': 'holds',
    C18: 'holds',
    'C1-shift': 'holds',
    'why-sum': 'holds',
    'why-split': 'holds',
  },
  push: { C21: 'slack', 'C21-oracle': 'holds', C20: 'holds', C25: 'holds' },
  sharing: {
    'C22-sharp': 'slack',
    'C22-note': 'slack',
    'C22-operator': 'slack',
    'C22-range': 'slack',
    'C22-outputDiameter': 'slack',
    'C22-oracle': 'holds',
    C23: 'holds',
  },
  speed: { K1: 'holds', 'K2-float64': 'holds', 'K2-float32': 'holds', K3: 'holds' },
};
export const DEFAULT = Object.assign({}, ...Object.values(BY_PANEL));

/** Of panels with the model, whose verdicts change as it goes on. They have tests of their own. */
export const WITH_MODEL = {
  look: ['look-row', 'look-budget', 'look-surprise', 'look-drawn'],
  'cold-hot': ['cold-row'],
  born: ['born-scores'],
  lab: ['lab-same', 'lab-push', 'lab-shuffle', 'lab-lens', 'lab-ledger'],
};
const MOVING = Object.values(WITH_MODEL).flat();

/** The names of all statements of the page. */
export const ALL = [...Object.keys(DEFAULT), ...MOVING].sort();

/** Every statement by its name, with its data- attributes as numbers where they are numbers. */
export async function statements(page) {
  const list = await page.$$eval('[data-statement]', (elements) =>
    elements.map((element) => ({ ...element.dataset, text: element.textContent })),
  );
  return Object.fromEntries(
    list.map((each) => [
      each.statement,
      Object.fromEntries(
        Object.entries(each).map(([name, value]) => [
          name,
          /^-?[\d.]+(e[+-]?\d+)?$|^(NaN|-?Infinity)$/.test(value) ? Number(value) : value,
        ]),
      ),
    ]),
  );
}

/** Verdict by statement, of the panels that need no model. */
export const verdicts = async (page) =>
  Object.fromEntries(
    Object.entries(await statements(page))
      .filter(([name]) => !MOVING.includes(name))
      .map(([name, { verdict }]) => [name, verdict]),
  );
