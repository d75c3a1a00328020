/** The rules of `npm run lint` for the JavaScript; prettier lays it out. */
import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['build/', 'dist/', 'lib/', '.toolchain/', '**/node_modules/'] },
  js.configs.recommended,
  {
    languageOptions: {
      ecmaVersion: 2024,
      globals: { ...globals.node, ...globals.browser, ...globals.worker },
    },
    rules: {
      'one-var': ['error', 'never'],
      'prefer-const': ['error', { destructuring: 'all' }],
      'no-unused-vars': [
        'error',
        {
          ignoreRestSiblings: true,
          destructuredArrayIgnorePattern: '^_',
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
        },
      ],
      // parsers of hostile files look for control characters
      'no-control-regex': 'off',
      // texts on the page have thin spaces
      'no-irregular-whitespace': ['error', { skipTemplates: true, skipStrings: true }],
      // expected values are written with all the digits their source has
      'no-loss-of-precision': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-len': ['error', { code: 100 }],
    },
  },
  {
    files: ['src/js/**', 'web/**'],
    rules: {
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
];
