import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunksByArea } from './scripts/chunks.ts';
import { parseDocuments } from './scripts/documents.ts';
import { copyPdfFiles, deferLastPageCheck } from './scripts/pdf-files.ts';

const serviceUrl = process.env['STEWARD_SERVICE'] ?? 'http://127.0.0.1:4400';

/** Fails the build if a module of the service, the tests or the scripts is bundled. */
function refuseForeignModules(): Plugin {
  const foreign =
    /\.test\.tsx?$|\/(service|e2e|bench|scripts)\/|\/node_modules\/(@playwright|vitest|fast-check|@axe-core)\//;
  return {
    name: 'refuse-foreign-modules',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        const modules = output.type === 'chunk' ? Object.keys(output.modules) : [];
        const found = modules.find((id) => foreign.test(id.replace(import.meta.dirname, '')));
        if (found) this.error(`${found} must not be bundled`);
      }
    },
  };
}

/** Fails the build if chunks import each other in a cycle, which would run modules before their imports. */
function refuseChunkCycles(): Plugin {
  return {
    name: 'refuse-chunk-cycles',
    apply: 'build',
    generateBundle(_options, bundle) {
      const done = new Set<string>();
      const walk = (file: string, path: readonly string[]) => {
        if (path.includes(file)) this.error(`Chunk cycle: ${[...path, file].join(' > ')}`);
        const output = bundle[file];
        if (output?.type !== 'chunk' || done.has(file)) return;
        for (const next of output.imports) walk(next, [...path, file]);
        done.add(file);
      };
      for (const file of Object.keys(bundle)) walk(file, []);
    },
  };
}

/**
 * Lets the bundler leave out the schemas that no form uses. It keeps every call that may have an effect, and with it all 1,300 schemas of
 * the contract, which a page with a form would run.
 */
function markSchemasPure(): Plugin {
  return {
    name: 'mark-schemas-pure',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/api\/generated\/zod\.gen\.ts$/ },
      handler: (code) =>
        // A declaration ends before an empty line.
        code.replaceAll(
          /^export const (\w+) = ([^]+?);\n(?=\n|$(?!\n))/gm,
          'export const $1 = /* @__PURE__ */ (() => $2)();\n',
        ),
    },
  };
}

const chunks = chunksByArea();

export default defineConfig({
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: './src/routes',
      generatedRouteTree: './src/routeTree.gen.ts',
      routeFileIgnorePrefix: '-',
      quoteStyle: 'single',
      semicolons: true,
      autoCodeSplitting: true,
      codeSplittingOptions: {
        // Loaders are loaded with their page: the first load needs only the paths of the routes. The plugin recognizes
        // `loader: () =>`, but not a method.
        defaultBehavior: [['component', 'loader'], ['errorComponent'], ['notFoundComponent']],
      },
    }),
    react(),
    chunks.plugin,
    copyPdfFiles(),
    parseDocuments(),
    markSchemasPure(),
    refuseForeignModules(),
    refuseChunkCycles(),
  ],
  build: {
    outDir: 'dist',
    manifest: true,
    target: 'es2024',
    sourcemap: false,
    reportCompressedSize: false,
    // `npm test` has budgets for what pages load, compressed; this limit is for single files before compression.
    chunkSizeWarningLimit: 1_200,
    // The content security policy allows no inline or data: resources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: chunks.nameOf, debugName: 'areas', priority: 1, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  worker: { format: 'es', plugins: () => [deferLastPageCheck()] },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    // The Host header is kept for the same-origin check of the service; the short form of a proxy would change it.
    proxy: {
      '/console/': { target: serviceUrl, changeOrigin: false },
      '/api/': { target: serviceUrl, changeOrigin: false },
    },
  },
});
