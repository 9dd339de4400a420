import { toServiceError } from '../../../api/errors.ts';
import type { BackupDownload } from '../../../api/generated/types.gen.ts';
import type { Pulled } from './fetcher.ts';
import { noted, speedOf } from './meter.ts';
import type { Samples } from './meter.ts';

/** A download as far as it is. */
export interface Download {
  fileName: string;
  /**
   * `asking` for a link; `running`; `waiting` before another try; `paused` by wish or because somebody has to do
   * something first; `done`; `failed` for good; `dropped` by wish.
   */
  phase: 'asking' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'dropped';
  received: number;
  /** In bytes; undefined where the list does not tell it. */
  size: number | undefined;
  /** Bytes in a second, while it runs and that is known. */
  speed?: number | undefined;
  /** The address that the link holds for. */
  address?: string | undefined;
  /** What is in the way, in a sentence. */
  trouble?: string | undefined;
  /** Of the bytes on the disk, at the end. */
  sha256?: string;
  /** Whether that is what the list says; undefined where the list says nothing. */
  isAsListed?: boolean | undefined;
}

interface Means {
  newLink: () => Promise<BackupDownload>;
  pull: (url: string) => Promise<Pulled>;
  /** Breaks a pull off; it then ends as paused. */
  stop: () => Promise<void>;
  /** The file is whole and right. */
  close: () => Promise<void>;
  /** Nothing of it stays. */
  abandon: () => Promise<void>;
  wait: (ms: number) => Promise<void>;
  onChange: (download: Download) => void;
  now: () => number;
}

interface Wanted {
  fileName: string;
  size: number | undefined;
  /** As the list tells it. */
  sha256: string | undefined;
}

// After the last of them somebody has to press the button.
const WAITS_MS = [1000, 2000, 4000, 8000, 15_000, 15_000];

const CHANGED =
  'The file of the service is another one by now, so the rest of it does not belong to what is here.';
const foreignWords = (address: string | undefined, why: string | undefined): string =>
  [
    `The link was made for ${address ?? 'another address'}, but the service sees this browser at another address now.`,
    'A change of network, a VPN or a proxy does that. Continue makes a link for the present address; if that is refused too, ask whoever runs your network.',
    ...(why === undefined ? [] : [`The service says: ${why}`]),
  ].join(' ');

/**
 * Downloads one file through as many links and connections as it takes. A link that has ended is replaced by a new
 * one; what is here stays here.
 */
export function createDownload({ fileName, size, sha256 }: Wanted, means: Means) {
  let now: Download = { fileName, size, phase: 'asking', received: 0 };
  let samples: Samples = [];
  let link: BackupDownload | undefined;
  // Who pauses and goes on at once has two runs for a moment; the later one counts.
  let turn = 0;

  const show = (next: Partial<Download>) => {
    now = { ...now, ...next };
    means.onChange(now);
  };
  const rest = (phase: 'paused' | 'failed', trouble: string) => {
    link = undefined;
    show({ phase, trouble, speed: undefined });
  };

  async function finish(found: string, received: number): Promise<void> {
    const isAsListed = sha256 === undefined ? undefined : found === sha256;
    if (isAsListed === false) {
      await means.abandon();
      show({
        phase: 'failed',
        sha256: found,
        isAsListed,
        received,
        speed: undefined,
        trouble: 'The SHA-256 of what arrived is not the one of the list. Nothing was saved.',
      });
      return;
    }
    await means.close();
    show({ phase: 'done', sha256: found, isAsListed, received, speed: undefined, trouble: undefined });
  }

  /** Waits before another try, and says how many there were; undefined where there were enough of them. */
  async function waitFor(tries: number, why: string): Promise<number | undefined> {
    const ms = WAITS_MS[tries];
    if (ms === undefined) {
      rest('paused', `${why}. It was tried ${WAITS_MS.length} times.`);
      return undefined;
    }
    show({ phase: 'waiting', trouble: why, speed: undefined });
    await means.wait(ms);
    return tries + 1;
  }

  /** Gets a link to go on with; what another try may get is worth waiting for. */
  async function ask(tries: number): Promise<number | undefined> {
    show({ phase: 'asking' });
    try {
      link = await means.newLink();
      return tries;
    } catch (thrown) {
      const { status, message } = toServiceError(thrown);
      if (status === 0 || status === 429 || status >= 502) return waitFor(tries, message);
      rest('paused', message);
      return undefined;
    }
  }

  async function settle(pulled: Pulled, tries: number): Promise<number | undefined> {
    switch (pulled.end) {
      case 'whole':
        await finish(pulled.sha256, pulled.received);
        break;
      case 'paused':
        break;
      case 'ended':
        link = undefined;
        return waitFor(tries, pulled.why ?? 'The link holds no longer');
      case 'cut':
        return waitFor(tries, pulled.why);
      case 'foreign':
        rest('paused', foreignWords(now.address, pulled.why));
        break;
      case 'changed':
        await means.abandon();
        rest('failed', `${CHANGED} Nothing was saved.`);
        break;
      case 'refused':
        rest('paused', pulled.why ?? 'The service does not hand it out.');
        break;
      case 'unwritable':
        await means.abandon();
        rest('failed', `It could not be written: ${pulled.why}. Nothing was saved.`);
        break;
    }
    return undefined;
  }

  /** One try. How many there were in vain until now; undefined where the download rests. */
  async function attempt(tries: number, isMine: () => boolean): Promise<number | undefined> {
    if (!link) return ask(tries);
    const before = now.received;
    samples = [];
    show({ phase: 'running', trouble: undefined, address: link.ipAddress });
    const pulled = await means.pull(link.url);
    if (!isMine()) return undefined;
    return settle(pulled, now.received > before ? 0 : tries);
  }

  async function run(): Promise<void> {
    turn += 1;
    const mine = turn;
    const isMine = () => turn === mine;
    try {
      let tries: number | undefined = 0;
      // One try after the other.
      // oxlint-disable-next-line no-await-in-loop
      while (tries !== undefined && isMine()) tries = await attempt(tries, isMine);
    } catch (thrown) {
      if (isMine()) rest('failed', toServiceError(thrown).message);
    }
  }

  /** Whatever is going on has no more to say. */
  async function hold(): Promise<void> {
    turn += 1;
    await means.stop();
  }

  return {
    /** Begins, or goes on where it was paused. */
    go: run,
    async pause(): Promise<void> {
      await hold();
      show({ phase: 'paused', trouble: undefined, speed: undefined });
    },
    async drop(): Promise<void> {
      await hold();
      await means.abandon();
      show({ phase: 'dropped', speed: undefined });
    },
    /** Told while bytes arrive. */
    note(received: number): void {
      if (now.phase !== 'running') return;
      samples = noted(samples, { at: means.now(), received });
      show({ received, speed: speedOf(samples) });
    },
  };
}
