// The formatter's part is Prettier's; what is written here is what a reader or the compiler would miss.

import js from '@eslint/js'
import reactHooks from 'eslint-plugin-react-hooks'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  globalIgnores(['**/wire.ts', 'eslint.config.js']),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    plugins: { 'react-hooks': reactHooks },
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['vite.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // The plugin's other rules are for the React Compiler, which does not build this page.
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Often an empty text or a false means the same as none.
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      // With `noUncheckedIndexedAccess`, `!` says where an index is known to be there.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A config is a table by the names of fields.
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
)
