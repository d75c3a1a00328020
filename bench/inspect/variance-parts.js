/** The lines of src/c/attention that are there for the variance, and others in their place. */
export const PARTS = {
  'softmax.c': [
    ['squares[l] = v_madd(weight * t, t, squares[l]);', '(void)squares;'],
    ['*square += sum_lanes(squares);', '(void)square;'],
    ['row->spread = spread_of(sums, row->total);', '(void)spread_of;'],
  ],
  'results.c': [
    [
      'row->spread = empty ? b * added->spread : merged_spread(row, added, a, b);',
      '{(void)merged_spread;}',
    ],
  ],
};
