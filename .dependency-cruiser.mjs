/**
 * Import rules (docs/decisions/0001, CONTRIBUTING.md). Type imports count like value imports. Cycles between folders are
 * checked without tests by .dependency-cruiser-folders.mjs.
 */
const rule = (name, from, to) => ({ name, severity: 'error', from, to });

export default {
  forbidden: [
    // What the generator writes is not ours to arrange.
    rule('no-file-cycles', { pathNot: '/generated/' }, { circular: true }),
    rule('console-not-service', { path: '^src/' }, { path: '^service/' }),
    rule('service-not-console', { path: '^service/' }, { path: '^src/' }),
    rule('contract-stands-alone', { path: '^contract/' }, { path: '^(src|service|e2e|bench)/' }),
    rule(
      'shared-code-knows-no-area',
      { path: '^src/(ui|lib|files)/' },
      { path: '^src/(api|app|areas|directory|routes)/' },
    ),
    rule('lib-and-files-know-no-ui', { path: '^src/(lib|files)/' }, { path: '^src/ui/' }),
    rule(
      'api-and-directory-below-areas',
      { path: '^src/(api|directory)/' },
      { path: '^src/(app|areas|routes)/' },
    ),
    rule(
      'frame-knows-areas-by-registry',
      { path: '^src/(app/|main\\.tsx|router\\.tsx)', pathNot: '^src/app/registry\\.ts$' },
      { path: '^src/areas/' },
    ),
    rule('routes-are-the-top', { path: '^src/(app|areas)/' }, { path: '^src/routes/' }),
    rule(
      'console-areas-through-index',
      { path: '^src/areas/([^/]+)/' },
      // Fixtures are for the tests of all areas; the code of none may import them.
      {
        path: '^src/areas/([^/]+)/',
        pathNot: ['^src/areas/$1/', '^src/areas/[^/]+/index\\.ts$', '\\.fixture\\.ts$'],
      },
    ),
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
      { path: '^service/(cli|gateway|[^/]+\\.ts$)', pathNot: '\\.test\\.ts$' },
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
      { path: '^(src|service)/', pathNot: '(\\.test\\.tsx?$|\\.fixture\\.ts$|^service/testing/)' },
      { path: '(\\.test\\.tsx?$|\\.fixture\\.ts$|^service/testing/|^e2e/|^bench/)' },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
