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

const LAST_PAGE_CHECK = /await this\.ensureDoc\("checkLastPage",\[(\w+)\]\)/g;

/**
 * Lets pdf.js open a file that is read by ranges without reading its last page. In a file whose pages are in one list it would
 * read all of them, which is most of the file, before the first page is shown. The viewer reads the last page afterwards
 * and opens the file anew, from all of its bytes, if there is none (`checkLastPage`). Fails the build when pdf.js has changed there.
 */
export const deferLastPageCheck = (): Plugin => ({
  name: 'defer-last-page-check',
  apply: 'build',
  transform(code, id) {
    if (!id.endsWith('/pdfjs-dist/build/pdf.worker.min.mjs')) return undefined;
    const [match, ...more] = code.matchAll(LAST_PAGE_CHECK);
    if (!match || more.length > 0)
      return this.error('pdf.js checks the last page in another way than expected');
    // Only the manager of files that are read by ranges has this property.
    return { code: code.replace(match[0], `${match[1]}||!this.streamManager?${match[0]}:0`), map: null };
  },
});
