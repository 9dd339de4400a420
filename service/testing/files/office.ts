/** LibreOffice as a reader of its own: what it understands of a document that the service made. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TIMEOUT_MS = 60_000;

/** Filters that convert a document to its text, as LibreOffice names them; the numbers mean commas, quotes and UTF-8. */
const TARGETS = {
  docx: { filter: 'txt:Text (encoded):UTF8', extension: 'txt' },
  xlsx: { filter: 'csv:Text - txt - csv (StarCalc):44,34,76', extension: 'csv' },
} as const;

/** The office program of this machine; undefined if there is none. */
export function findOfficeProgram(): string | undefined {
  const program = process.env['STEWARD_OFFICE'] ?? '/usr/bin/soffice';
  if (spawnSync(program, ['--version']).status === 0) return program;
  console.info(`LibreOffice is not installed (${program}): tests that read documents with it are skipped`);
  return undefined;
}

/** The text of a document as the program reads it. @throws Error if the program cannot read it */
export function readWithOffice(program: string, document: Uint8Array, format: keyof typeof TARGETS): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-office-reader-'));
  try {
    const { filter, extension } = TARGETS[format];
    const path = join(folder, `document.${format}`);
    writeFileSync(path, document);
    const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
    const args = [profile, '--headless', '--norestore', '--convert-to', filter, '--outdir', folder, path];
    const { status, stderr } = spawnSync(program, args, { timeout: TIMEOUT_MS, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} cannot read the document: ${stderr}`);
    return readFileSync(join(folder, `document.${extension}`), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
