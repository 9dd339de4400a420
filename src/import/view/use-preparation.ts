import { useCallback, useEffect, useRef, useState } from 'react';
import type { Remote } from 'comlink';
import type { Board, Opened, OpenedFile } from '../board.ts';

/** A file on its desk in a worker, from its opening until its import is over or given up. */
export interface FileSession {
  desk: Remote<Board>;
  open: (file: Blob, onProgress: (share: number) => void) => Promise<Opened>;
  close: () => void;
}

/** A file that was read and waits to be imported; `setup` is what was chosen for it. */
export interface Prepared<Session extends FileSession, Setup> {
  id: string;
  name: string;
  file: OpenedFile;
  session: Session;
  setup: Setup;
}

type Stage<Session extends FileSession, Setup> =
  | { at: 'empty'; fault?: string | undefined }
  | { at: 'reading'; name: string; share: number }
  | ({ at: 'ready' } & Prepared<Session, Setup>);

export interface Preparation<Session extends FileSession, Setup> {
  stage: Stage<Session, Setup>;
  open: (file: File) => Promise<void>;
  change: (part: Partial<Setup>) => void;
  giveUp: () => void;
}

const MOST_BYTES = 100 * 1024 * 1024;

/** From a chosen file to its columns. Whatever is prepared here is gone with the page, until it is handed over. */
export function usePreparation<Session extends FileSession, Setup>(
  openSession: () => Session,
  setUp: (file: OpenedFile) => Setup,
): Preparation<Session, Setup> {
  const [stage, setStage] = useState<Stage<Session, Setup>>({ at: 'empty' });
  const held = useRef<Session>(undefined);
  const close = useCallback(() => {
    held.current?.close();
    held.current = undefined;
  }, []);
  // A worker does not go with the page by itself.
  useEffect(() => close, [close]);

  const open = async (chosen: File): Promise<void> => {
    close();
    if (chosen.size > MOST_BYTES)
      return setStage({
        at: 'empty',
        fault: `${chosen.name} is larger than 100 MB. Split it into several files.`,
      });
    const session = openSession();
    held.current = session;
    const show = (share: number) => {
      if (held.current === session) setStage({ at: 'reading', name: chosen.name, share });
    };
    show(0);
    const file = await read(session, chosen, show);
    // Another file was chosen meanwhile, or the page was left.
    if (held.current !== session) return undefined;
    if ('fault' in file) {
      close();
      return setStage({ at: 'empty', fault: file.fault });
    }
    const id = crypto.randomUUID();
    return setStage({ at: 'ready', id, name: chosen.name, file, session, setup: setUp(file) });
  };

  return {
    stage,
    open,
    change: (part) =>
      setStage((now) => (now.at === 'ready' ? { ...now, setup: { ...now.setup, ...part } } : now)),
    giveUp: () => {
      close();
      setStage({ at: 'empty' });
    },
  };
}

async function read(
  session: FileSession,
  chosen: File,
  onProgress: (share: number) => void,
): Promise<Opened> {
  try {
    return await session.open(chosen, onProgress);
  } catch {
    return { fault: `${chosen.name} could not be read.` };
  }
}
