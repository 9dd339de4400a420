/** PDF files made by the programs of Debian's packages qpdf and poppler-utils, where they are installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface MadeFile {
  name: string;
  buffer: Buffer;
}

/** Commands that make files from `in.pdf`; the name of a file says what is special about it. */
const RECIPES: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['linearized.pdf', 'qpdf', '--linearize', 'in.pdf', 'out.pdf'],
  ['object-streams.pdf', 'qpdf', '--object-streams=generate', 'in.pdf', 'out.pdf'],
  ['encrypted.pdf', 'qpdf', '--encrypt', '', 'owner', '256', '--', 'in.pdf', 'out.pdf'],
  ['united.pdf', 'pdfunite', 'in.pdf', 'in.pdf', 'out.pdf'],
  ['cairo.pdf', 'pdftocairo', '-pdf', 'in.pdf', 'out.pdf'],
];

/** Files that these programs make of a file; a program that is not installed makes none, and the test says so. */
export function makeWithTools(file: Buffer): MadeFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pdf-tools-'));
  try {
    writeFileSync(join(folder, 'in.pdf'), file);
    return RECIPES.flatMap(([name, program, ...args]) => {
      const { error, status, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
      if (error) {
        console.info(`${program} is not installed: ${name} is not tested`);
        return [];
      }
      if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
      return { name, buffer: readFileSync(join(folder, 'out.pdf')) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
