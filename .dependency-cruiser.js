/** Who may import whom: the layers of the code. Each violation is an error from the first commit on. */
const only = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^lib/${from}/`, pathNot: '\\.test\\.ts$|/testing\\.ts$' },
  to: { path: '^(app|components|lib|server\\.ts)', pathNot: `^lib/(${[from, ...to].join('|')})(/|\\.)` },
})

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('domain-is-pure', 'domain', [], 'The domain imports nothing of ours.'),
    {
      name: 'domain-has-no-io',
      comment: 'Types of the AI SDK are no code: they are what a bridged model is asked in.',
      severity: 'error',
      from: { path: '^lib/domain/', pathNot: '\\.test\\.ts$|/language\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional'] },
    },
    {
      name: 'language-has-types-only',
      severity: 'error',
      from: { path: '^lib/domain/language\\.ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    only('contracts', 'contracts', [], 'Shapes that the browser shares stand alone.'),
    only('messages', 'messages', ['contracts'], 'What people are told knows which languages there are.'),
    only('wire', 'wire', ['domain'], 'Wire formats know the domain only.'),
    only('files', 'files', ['domain'], 'Files know the domain only.'),
    only('vendors', 'vendors', ['domain'], 'Vendors know the domain only.'),
    only('ledger', 'ledger', ['domain'], 'The ledger knows the domain and its own ports.'),
    only(
      'gateway',
      'gateway',
      ['domain', 'wire', 'vendors/vendor'],
      'The pipeline knows the domain, the wires, and vendors by their interface.',
    ),
    only(
      'services',
      'services',
      ['domain', 'contracts', 'messages'],
      'Verbs know the domain, the contracts, what they tell, and their own ports.',
    ),
    only(
      'store',
      'store',
      ['domain', 'contracts', 'ledger/ports', 'ledger/audit', 'services/[a-z/-]*ports', 'services/utc'],
      'The store implements ports.',
    ),
    only(
      'console',
      'console',
      ['domain', 'contracts', 'messages', 'services', 'store', 'env'],
      'What stands in front of the verbs.',
    ),
    {
      name: 'prisma-only-in-store',
      severity: 'error',
      from: { path: '^(app|components|lib|server\\.ts)', pathNot: '^lib/store/' },
      to: { path: '(^lib/store/generated/)|@prisma/' },
    },
    {
      name: 'runtime-only-from-app-and-process',
      severity: 'error',
      from: { path: '^(components|lib)/', pathNot: '^lib/process\\.ts$' },
      to: { path: '^lib/runtime\\.ts$' },
    },
    {
      name: 'components-stay-in-the-browser',
      severity: 'error',
      from: { path: '^components/' },
      to: { path: '^(app|lib|server\\.ts)', pathNot: '^lib/(contracts|domain|i18n)/' },
    },
    {
      name: 'nothing-of-next-in-the-fast-lane',
      severity: 'error',
      comment: 'server.ts loads these with Node itself, where these modules of Next do not exist.',
      from: {
        path: '^(lib/(domain|wire|gateway|vendors|ledger|services|store|console|host|setup|files)/|lib/runtime|app/v1/|app/files/)',
      },
      to: { path: 'node_modules/(next/(server|headers|navigation|cache)|server-only)' },
    },
    {
      name: 'toasts-are-loaded-late',
      comment: 'components/toast.ts has what shows one; sonner itself would be loaded with every page.',
      severity: 'error',
      from: { path: '^(app|components)/', pathNot: '^components/toasts\\.tsx$' },
      to: { path: 'node_modules/sonner', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      from: { path: '^(app|components|lib|server\\.ts)' },
      to: { path: '^tests/' },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules|lib/store/generated' },
    exclude: { path: '\\.next/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default', 'node'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
}
