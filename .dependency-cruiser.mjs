/** The laws of the house: who may import whom (docs/decisions/0001-house.md). */
const rule = (name, from, to) => ({ name, severity: 'error', from, to });

export default {
  forbidden: [
    rule('no-circular', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    rule('console-not-service', { path: '^src/' }, { path: '^service/' }),
    rule('service-not-console', { path: '^service/' }, { path: '^src/' }),
    rule('contract-stands-alone', { path: '^contract/' }, { path: '^(src|service|e2e|bench)/' }),
    rule(
      'ui-and-lib-know-no-area',
      { path: '^src/(ui|lib)/' },
      { path: '^src/(routes|api|directory|shell)/' },
    ),
    rule('lib-knows-no-ui', { path: '^src/lib/' }, { path: '^src/ui/' }),
    rule(
      'areas-through-index',
      { path: '^service/areas/([^/]+)/' },
      {
        path: '^service/areas/([^/]+)/',
        pathNot: ['^service/areas/$1/', '^service/areas/[^/]+/index\\.ts$'],
      },
    ),
    rule(
      'outside-through-index',
      { path: '^service/(cli|gateway|[^/]+\\.ts$)' },
      { path: '^service/areas/[^/]+/', pathNot: '^service/areas/[^/]+/index\\.ts$' },
    ),
    rule('kernel-knows-no-area', { path: '^service/kernel/' }, { path: '^service/(areas|gateway|cli)/' }),
    rule(
      'sql-only-in-stores',
      {
        path: '^service/',
        pathNot: '(^service/kernel/db/|[.-]?store\\.ts$|\\.test\\.ts$|^service/(testing|cli)/)',
      },
      { path: '^node_modules/(kysely|pg|@electric-sql)/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'no-tests-in-product',
      { path: '^(src|service)/', pathNot: '(\\.test\\.tsx?$|^service/testing/)' },
      { path: '(\\.test\\.tsx?$|^service/testing/|^e2e/|^bench/)' },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
