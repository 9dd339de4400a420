import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { chunksByArea } from './scripts/chunks.ts';

const service = process.env['STEWARD_SERVICE'] ?? 'http://127.0.0.1:4400';

/** Nothing of tests, samples or the service reaches the browser: the build fails on the first such module. */
function productOnly(): Plugin {
  const alien =
    /\.test\.tsx?$|\/(service|e2e|bench|scripts)\/|\/node_modules\/(@playwright|vitest|fast-check|@axe-core)\//;
  return {
    name: 'product-only',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        const modules = output.type === 'chunk' ? Object.keys(output.modules) : [];
        const found = modules.find((id) => alien.test(id.replace(import.meta.dirname, '')));
        if (found) this.error(`${found} is not for the browser`);
      }
    },
  };
}

/** Chunks that need one another would run what is not there yet: the build fails on the first circle. */
function noCircles(): Plugin {
  return {
    name: 'no-circles-of-chunks',
    apply: 'build',
    generateBundle(_options, bundle) {
      const done = new Set<string>();
      const walk = (file: string, path: readonly string[]) => {
        if (path.includes(file)) this.error(`Chunks need one another: ${[...path, file].join(' > ')}`);
        const output = bundle[file];
        if (output?.type !== 'chunk' || done.has(file)) return;
        for (const next of output.imports) walk(next, [...path, file]);
        done.add(file);
      };
      for (const file of Object.keys(bundle)) walk(file, []);
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
        // A loader comes with its page: at first only the addresses of all routes are needed, not what they read. (It is
        // found where it is written `loader: () =>`, not as a method.)
        defaultBehavior: [['component', 'loader'], ['errorComponent'], ['notFoundComponent']],
      },
    }),
    react(),
    chunks.plugin,
    productOnly(),
    noCircles(),
  ],
  build: {
    outDir: 'dist',
    manifest: true,
    target: 'es2024',
    sourcemap: false,
    reportCompressedSize: false,
    // The page's CSP allows nothing inline and no data: font or script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            { name: chunks.nameOf, priority: 1, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    // The Host header stays the page's own, so that the service's same-origin check holds here too; the short form
    // of a proxy would change it.
    proxy: {
      '/console/': { target: service, changeOrigin: false },
      '/api/': { target: service, changeOrigin: false },
    },
  },
});
