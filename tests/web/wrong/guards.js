/**
 * Statements that no wrong build reddens, and the test that shows the verdict on a fault: its file
 * in tests/web, and its name. A statement is here or in a list of wrong builds, or it may go.
 */
export const GUARDS = {
  'cold-row': [
    'panels/faults.test.js',
    'cold and hot: a weight that is moved, or of another temperature, is seen',
  ],
  'born-scores': [
    'look/born.test.js',
    'a score of another head and a row of another letter are seen',
  ],
  'lab-same': [
    'panels/faults.test.js',
    'lab: heads that are multiplied by a little more than 1 are seen',
  ],
  'lab-push': [
    'panels/faults.test.js',
    'lab: a push of another strength, or along another direction, is seen',
  ],
  'lab-lens': ['panels/faults.test.js', 'lab: a lens that is one bit off is seen, '],
  'lab-ledger': [
    'panels/faults.test.js',
    'lab: a bar that is changed, missing or counted twice is seen',
  ],
  'lab-shuffle': [
    'panels/faults.test.js',
    'lab: a shuffled matrix that lost a number, and one that was not shuffled, are seen',
  ],
};
