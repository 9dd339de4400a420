/** Converts documents to PDF with an office program. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiError } from '../../../kernel/api-error.ts';

/** Office programs are known to hang. */
const OFFICE_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_LENGTH = 1_000;

export const NO_OFFICE =
  'PDF is not available: the setting STEWARD_OFFICE names no office program on this installation.';

interface ConvertOptions {
  /** Path of `soffice`. */
  program: string;
  format: 'docx' | 'xlsx';
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

/**
 * Converts documents, each run of the program with a folder and a profile of its own: programs that share a profile wait for each other.
 * @throws ApiError 502 when the program fails or takes too long; the reason of `signal`
 */
export async function convertToPdf(
  documents: readonly Uint8Array[],
  { program, format, signal, timeoutMs = OFFICE_TIMEOUT_MS }: ConvertOptions,
): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-office-'));
  try {
    await mkdir(join(folder, 'out'));
    const paths = documents.map((_, at) => join(folder, `${at}.${format}`));
    await Promise.all(documents.map((document, at) => writeFile(paths[at] ?? '', document)));
    await runProgram(
      program,
      [
        `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`,
        '--headless',
        '--nologo',
        '--norestore',
        '--convert-to',
        'pdf',
        '--outdir',
        join(folder, 'out'),
        ...paths,
      ],
      { signal, timeoutMs, folder },
    );
    return await Promise.all(
      documents.map((_, at) =>
        readFile(join(folder, 'out', `${at}.pdf`)).catch((error: unknown) => {
          throw createFailure('The office program made no PDF of a document', error);
        }),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A failure that stops a job: another attempt would take as long. */
const createFailure = (message: string, cause: unknown): ApiError =>
  Object.assign(new ApiError(502, message), { cause });

/** Runs the program in a process group, so that the processes it starts end with it. */
async function runProgram(
  program: string,
  args: readonly string[],
  { signal, timeoutMs, folder }: { signal: AbortSignal | undefined; timeoutMs: number; folder: string },
): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
  });
  const ended = Promise.withResolvers<void>();
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_LENGTH);
  });
  const fail = (message: string, cause?: unknown) => ended.reject(createFailure(message, cause));
  child.on('error', (error) => fail(`The office program cannot be started: ${error.message}`, error));
  child.on('exit', (code) => {
    if (code === 0) ended.resolve();
    else fail('The office program failed', output);
  });
  const timer = setTimeout(
    () => fail(`The office program took more than ${timeoutMs / 1_000} seconds and was ended`),
    timeoutMs,
  );
  const onAbort = () => ended.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await ended.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    if (child.pid !== undefined)
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The group has ended.
      }
  }
}
