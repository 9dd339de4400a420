import { randomInt } from 'node:crypto';
import { createRandom, type Random } from '../../cli/load/random.ts';
import type { Database } from '../../kernel/db/database.ts';

const PROOF_KILLS = 60;

/**
 * How often a test kills processes: `npm test` takes the share that fits its time, `npm run proof` its own number, and STEWARD_KILLS
 * replaces both. The embedded database takes seconds to open.
 */
export function getKillCount(
  kind: Database['kind'],
  share: Record<Database['kind'], number>,
  proof = PROOF_KILLS,
): number {
  const usual = process.env['STEWARD_PROOF'] !== undefined ? proof : share[kind];
  return Number(process.env['STEWARD_KILLS'] ?? usual);
}

/** Figures of a test that kills processes. */
interface KillFigures {
  kills: number;
  /** Writes that were sent or reported, in the unit of the test. */
  writes: number;
  /** Acknowledged writes that are missing. */
  lost: number;
}

interface KillRun {
  /** Chooses the moments of the kills. */
  random: Random;
  /** Prints the figures; call it before the expectations, so that a run that fails has printed them. */
  report: (figures: KillFigures & Readonly<Record<string, number>>) => void;
}

/**
 * Begins the kills of a test and prints the seed, also of a run that is interrupted. STEWARD_KILLS_SEED repeats the moments that
 * the seed chooses; what a process has done by then differs with the load of the machine.
 */
export function startKills(name: string, kind: Database['kind']): KillRun {
  const seed = Number(process.env['STEWARD_KILLS_SEED'] ?? randomInt(2 ** 31));
  const title = `kills of ${name} on ${kind}, seed ${seed}`;
  console.log(title);
  return {
    random: createRandom(seed),
    report(figures) {
      const texts = Object.entries(figures).map(([figure, count]) => `${count} ${figure}`);
      console.log(`${title}: ${texts.join(', ')}`);
    },
  };
}
