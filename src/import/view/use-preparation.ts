import { useCallback, useEffect, useRef, useState } from 'react';
import type { Remote } from 'comlink';
import type { Board, Opened, OpenedFile } from '../board.ts';
import { MOST_BYTES, tooLarge } from '../limits.ts';
import { toast } from '../../ui/feedback/toast.ts';

/** A file on its desk in a worker, from its opening until its import is over or given up. */
export interface FileSession {
  desk: Remote<Board>;
  open: (file: Blob, onProgress: (share: number) => void, sheet?: number) => Promise<Opened>;
  close: () => void;
}

/** A file that was read and waits to be imported; `setup` is what was chosen for it. */
export interface Prepared<Session extends FileSession, Setup> {
  id: string;
  name: string;
  file: OpenedFile;
  session: Session;
  setup: Setup;
  chosen: File;
  /** Of a workbook: the sheet that is being read in place of this one. */
  turning?: Turning | undefined;
  /** Another sheet of the same file was there before. */
  isTurned?: boolean;
}

export interface Turning {
  sheet: number;
  share: number;
}

type Stage<Session extends FileSession, Setup> =
  | { at: 'empty'; fault?: string | undefined }
  | { at: 'reading'; name: string; share: number }
  | ({ at: 'ready' } & Prepared<Session, Setup>);

export interface Preparation<Session extends FileSession, Setup> {
  stage: Stage<Session, Setup>;
  open: (file: File) => Promise<void>;
  change: (part: Partial<Setup>) => void;
  /** Reads another sheet of the workbook; what is there stays until that is done. */
  turnTo: (sheet: number) => Promise<void>;
  giveUp: () => void;
}

/** From a chosen file to its columns. Whatever is prepared here is gone with the page, until it is handed over. */
export function usePreparation<Session extends FileSession, Setup>(
  openSession: () => Session,
  setUp: (file: OpenedFile) => Setup,
): Preparation<Session, Setup> {
  const [stage, setStage] = useState<Stage<Session, Setup>>({ at: 'empty' });
  const held = useRef<Session>(undefined);
  const next = useRef<Session>(undefined);
  const close = useCallback(() => {
    for (const one of [held, next]) {
      one.current?.close();
      one.current = undefined;
    }
  }, []);
  // A worker does not go with the page by itself.
  useEffect(() => close, [close]);

  const open = async (chosen: File): Promise<void> => {
    close();
    if (chosen.size > MOST_BYTES)
      return setStage({
        at: 'empty',
        fault: tooLarge(chosen.name),
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
    return setStage({ at: 'ready', id, name: chosen.name, file, session, setup: setUp(file), chosen });
  };

  const turnTo = async (sheet: number): Promise<void> => {
    if (stage.at !== 'ready') return;
    const { chosen, id: before } = stage;
    next.current?.close();
    const session = openSession();
    next.current = session;
    const show = (turning: Turning | undefined) => {
      if (next.current === session)
        setStage((now) => (now.at === 'ready' && now.id === before ? { ...now, turning } : now));
    };
    show({ sheet, share: 0 });
    const file = await read(session, chosen, (share) => show({ sheet, share }), sheet);
    if (next.current !== session) return;
    if ('fault' in file) {
      show(undefined);
      session.close();
      next.current = undefined;
      toast({ title: 'The sheet could not be read', description: file.fault, tone: 'bad' });
      return;
    }
    next.current = undefined;
    held.current?.close();
    held.current = session;
    const id = crypto.randomUUID();
    setStage((now) =>
      now.at === 'ready' && now.id === before
        ? { at: 'ready', id, name: chosen.name, file, session, setup: setUp(file), chosen, isTurned: true }
        : now,
    );
  };

  return {
    stage,
    open,
    change: (part) =>
      setStage((now) => (now.at === 'ready' ? { ...now, setup: { ...now.setup, ...part } } : now)),
    turnTo,
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
  sheet?: number,
): Promise<Opened> {
  try {
    return await session.open(chosen, onProgress, sheet);
  } catch {
    return { fault: `${chosen.name} could not be read.` };
  }
}
