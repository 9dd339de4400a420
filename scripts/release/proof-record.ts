/** The commit on which `npm run proof` passed last, so that a release can say whether its own was proved. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const RECORD = '.cache/proof.txt';

const readGit = (...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** The commit of the working tree; undefined when there is none, or files differ from it. */
function findCommit(): string | undefined {
  return readGit('status', '--porcelain') === '' ? readGit('rev-parse', 'HEAD') : undefined;
}

/** Remembers that the suites passed on the present commit; changed files make the record useless, so that it is not written. */
export function recordProof(): void {
  const commit = findCommit();
  if (commit === undefined) {
    console.log('Files differ from the commit: this proof counts for no release.');
    return;
  }
  mkdirSync(dirname(RECORD), { recursive: true });
  writeFileSync(RECORD, `${commit}\n`);
}

function readRecord(): string | undefined {
  try {
    return readFileSync(RECORD, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Sentence for the one who makes a release. */
export function describeProof(proved = readRecord(), commit = findCommit()): string {
  if (proved !== undefined && proved === commit) return `npm run proof passed on this commit (${commit}).`;
  const last = proved === undefined ? 'It has not passed here yet' : `It passed last on ${proved}`;
  return `Warning: npm run proof has not passed on the files of this release. ${last}. Run it before you publish the archive.`;
}
