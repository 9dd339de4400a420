import type { BackupDownload } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { FetchOutcome } from './fetcher.ts';
import { addSample, getSpeed } from './transfer-speed.ts';
import type { Samples } from './transfer-speed.ts';

/** State of a download. */
export interface Download {
  fileName: string;
  /** `waiting`: before a retry. `paused`: by the user, or until the user acts. `failed`: finally. */
  phase: 'requestingLink' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'discarded';
  received: number;
  /** Size in bytes; undefined if the list does not contain it. */
  size: number | undefined;
  /** Bytes per second while running, once known. */
  speed?: number | undefined;
  /** IP address that the link is valid for. */
  address?: string | undefined;
  /** Problem that interrupts the download, as a sentence. */
  problem?: string | undefined;
  /** SHA-256 of the received file. */
  sha256?: string;
  /** Whether the SHA-256 equals that of the list; undefined if the list has none. */
  matchesList?: boolean | undefined;
}

/** Actions of a download. */
export interface DownloadActions {
  pause: () => void;
  resume: () => void;
  discard: () => void;
  restart: () => void;
  /** Defined only while the browser stores the file. */
  saveAgain: (() => void) | undefined;
}

/** A download with its actions, as the console shows it. */
export type DownloadItem = Download & DownloadActions;

interface DownloadDependencies {
  createLink: () => Promise<BackupDownload>;
  fetchRest: (url: string) => Promise<FetchOutcome>;
  /** Aborts `fetchRest`, which then ends as paused. */
  stop: () => Promise<void>;
  /** Finishes a complete and verified file. */
  complete: () => Promise<void>;
  /** Deletes everything received so far. */
  discard: () => Promise<void>;
  wait: (ms: number) => Promise<void>;
  onChange: (download: Download) => void;
  now: () => number;
}

interface DownloadFile {
  fileName: string;
  size: number | undefined;
  /** SHA-256 of the list. */
  sha256: string | undefined;
}

/** Delays before the automatic retries. After the last one the download pauses. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000, 15_000, 15_000];

const CHANGED_TEXT =
  'The file on the service has changed, so the rest does not match the part already received.';
const formatWrongAddress = (address: string | undefined, reason: string | undefined): string =>
  [
    `The link was created for ${address ?? 'another address'}, but this browser now has another address.`,
    'A change of network, a VPN or a proxy can cause this. Continue creates a link for the current address. If that is refused too, contact your network administrator.',
    ...(reason === undefined ? [] : [`The service says: ${reason}`]),
  ].join(' ');

/** Downloads one file across several links and connections. Expired links are replaced; received bytes are kept. */
export function createResumableDownload(
  { fileName, size, sha256 }: DownloadFile,
  dependencies: DownloadDependencies,
) {
  let state: Download = { fileName, size, phase: 'requestingLink', received: 0 };
  let samples: Samples = [];
  let link: BackupDownload | undefined;
  // Pausing and resuming in quick succession leaves two runs for a moment; only the current one has effects.
  let currentRun = 0;

  const update = (next: Partial<Download>) => {
    state = { ...state, ...next };
    dependencies.onChange(state);
  };
  const halt = (phase: 'paused' | 'failed', problem: string) => {
    link = undefined;
    update({ phase, problem, speed: undefined });
  };

  async function finish(actualHash: string, received: number): Promise<void> {
    const matchesList = sha256 === undefined ? undefined : actualHash === sha256;
    if (matchesList === false) {
      await dependencies.discard();
      update({
        phase: 'failed',
        sha256: actualHash,
        matchesList,
        received,
        speed: undefined,
        problem: 'The SHA-256 of the received file differs from the list. Nothing was saved.',
      });
      return;
    }
    await dependencies.complete();
    update({
      phase: 'done',
      sha256: actualHash,
      matchesList,
      received,
      speed: undefined,
      problem: undefined,
    });
  }

  /** Waits before a retry and returns the new number of attempts; undefined if the download pauses instead. */
  async function waitBeforeRetry(attempts: number, reason: string): Promise<number | undefined> {
    const ms = RETRY_DELAYS_MS[attempts];
    if (ms === undefined) {
      halt('paused', `${reason}. Gave up after ${RETRY_DELAYS_MS.length} retries.`);
      return undefined;
    }
    update({ phase: 'waiting', problem: reason, speed: undefined });
    await dependencies.wait(ms);
    return attempts + 1;
  }

  /** Requests a link; retries if the service is unavailable. */
  async function requestLink(attempts: number, isCurrent: () => boolean): Promise<number | undefined> {
    update({ phase: 'requestingLink' });
    try {
      link = await dependencies.createLink();
      return attempts;
    } catch (thrown) {
      if (!isCurrent()) return undefined;
      const { status, message } = toServiceError(thrown);
      if (status === 0 || status === 429 || status >= 502) return waitBeforeRetry(attempts, message);
      halt('paused', message);
      return undefined;
    }
  }

  async function handleOutcome(result: FetchOutcome, attempts: number): Promise<number | undefined> {
    switch (result.outcome) {
      case 'complete':
        await finish(result.sha256, result.received);
        break;
      case 'paused':
        break;
      case 'linkExpired':
        link = undefined;
        return waitBeforeRetry(attempts, result.reason ?? 'The link has expired');
      case 'interrupted':
        return waitBeforeRetry(attempts, result.reason);
      case 'wrongAddress':
        halt('paused', formatWrongAddress(state.address, result.reason));
        break;
      case 'changed':
        await dependencies.discard();
        halt('failed', `${CHANGED_TEXT} Nothing was saved.`);
        break;
      case 'refused':
        halt('paused', result.reason ?? 'The service refused the download.');
        break;
      case 'writeFailed':
        await dependencies.discard();
        halt('failed', `It could not be written: ${result.reason}. Nothing was saved.`);
        break;
    }
    return undefined;
  }

  /** Performs one attempt and returns the number of failed attempts in a row; undefined if the download has stopped. */
  async function attempt(attempts: number, isCurrent: () => boolean): Promise<number | undefined> {
    if (!link) return requestLink(attempts, isCurrent);
    const before = state.received;
    samples = [];
    update({ phase: 'running', problem: undefined, address: link.ipAddress });
    const result = await dependencies.fetchRest(link.url);
    if (!isCurrent()) return undefined;
    return handleOutcome(result, state.received > before ? 0 : attempts);
  }

  async function run(): Promise<void> {
    currentRun += 1;
    const mine = currentRun;
    const isCurrent = () => currentRun === mine;
    try {
      let attempts: number | undefined = 0;
      // Attempts are sequential.
      while (attempts !== undefined && isCurrent()) attempts = await attempt(attempts, isCurrent);
    } catch (thrown) {
      if (isCurrent()) halt('failed', toServiceError(thrown).message);
    }
  }

  /** Ends the current run. */
  async function interrupt(): Promise<void> {
    currentRun += 1;
    await dependencies.stop();
  }

  return {
    /** Starts or resumes the download. */
    start: run,
    async pause(): Promise<void> {
      await interrupt();
      update({ phase: 'paused', problem: undefined, speed: undefined });
    },
    async discard(): Promise<void> {
      await interrupt();
      await dependencies.discard();
      update({ phase: 'discarded', speed: undefined });
    },
    /** Called while bytes arrive. */
    updateProgress(received: number): void {
      if (state.phase !== 'running') return;
      samples = addSample(samples, { at: dependencies.now(), received });
      update({ received, speed: getSpeed(samples) });
    },
  };
}
