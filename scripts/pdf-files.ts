/**
 * Files that pdf.js fetches when a document needs them: character maps, fonts, color profiles, and decoders of rare image
 * formats. The build copies them below `assets` under the version, so that browsers may keep them; the development server
 * answers them from the package.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const packageFile = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** The folders of the package and their files; its interpreter for scripts of documents (quickjs) is left out. */
const FOLDERS: Readonly<Record<string, RegExp>> = {
  cmaps: /\.bcmap$|^LICENSE/,
  iccs: /\.icc$|^LICENSE/,
  standard_fonts: /\.(pfb|ttf)$|^LICENSE/,
  wasm: /^(jbig2|openjpeg|qcms).*\.(wasm|js)$|^LICENSE_(?!.*QUICKJS)/,
};

const listFiles = (): { name: string; path: string }[] =>
  Object.entries(FOLDERS).flatMap(([folder, pattern]) =>
    readdirSync(join(dirname(packageFile), folder))
      .filter((file) => pattern.test(file))
      .map((file) => ({
        name: `assets/pdfjs-${version}/${folder}/${file}`,
        path: join(dirname(packageFile), folder, file),
      })),
  );

export const copyPdfFiles = (): Plugin => ({
  name: 'copy-pdf-files',
  generateBundle() {
    for (const { name, path } of listFiles())
      this.emitFile({ type: 'asset', fileName: name, source: readFileSync(path) });
  },
  configureServer(server) {
    const files = new Map(listFiles().map(({ name, path }) => [`/${name}`, path]));
    server.middlewares.use((request, response, next) => {
      const path = files.get(request.url ?? '');
      if (path === undefined) next();
      else response.end(readFileSync(path));
    });
  },
});
