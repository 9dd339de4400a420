import { useCallback, useEffect, useRef, useState } from 'react';
import type { Remote } from 'comlink';
import type { Board, Opened, OpenedFile } from '../board.ts';
import type { Reading } from '../../../files/read-table.ts';
import { MOST_BYTES, tooLarge } from '../../../files/limits.ts';
import { CODE_IS_MISSING, isMissingCode } from '../../../lib/missing-code.ts';
import { toast } from '../../../ui/feedback/toast.ts';

/** A file on its desk in a worker, from its opening until its import is over or given up. */
export interface FileSession {
  desk: Remote<Board>;
  open: (file: Blob, onProgress: (share: number) => void, as?: Reading) => Promise<Opened>;
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
  /** How it was read, where somebody said so, and what of it they said last. */
  as: Reading;
  saidLast?: keyof Reading;
  /** It is being read otherwise. */
  again?: Again | undefined;
}

interface Again {
  as: Reading;
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
  /** Reads the file otherwise, or another sheet of it; what is there stays until that is done. */
  readAs: (part: Reading) => Promise<void>;
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
    return setStage({
      at: 'ready',
      id,
      name: chosen.name,
      file,
      session,
      setup: setUp(file),
      chosen,
      as: {},
    });
  };

  const readAs = async (part: Reading): Promise<void> => {
    if (stage.at !== 'ready') return;
    const { chosen, id: before } = stage;
    const as = { ...(stage.again?.as ?? stage.as), ...part };
    const [saidLast] = (['sheet', 'separator', 'encoding'] as const).filter((key) => key in part);
    next.current?.close();
    const session = openSession();
    next.current = session;
    const put = (more: Partial<Prepared<Session, Setup>>) =>
      setStage((now) => (now.at === 'ready' && now.id === before ? { ...now, ...more } : now));
    const show = (share: number) => {
      if (next.current === session) put({ again: { as, share } });
    };
    show(0);
    const file = await read(session, chosen, show, as);
    if (next.current !== session) return;
    next.current = undefined;
    if ('fault' in file) {
      put({ again: undefined });
      session.close();
      toast({ title: 'The file could not be read so', description: file.fault, tone: 'bad' });
      return;
    }
    held.current?.close();
    held.current = session;
    const id = crypto.randomUUID();
    put({ id, file, session, setup: setUp(file), as, again: undefined, ...(saidLast && { saidLast }) });
  };

  return {
    stage,
    open,
    change: (part) =>
      setStage((now) => (now.at === 'ready' ? { ...now, setup: { ...now.setup, ...part } } : now)),
    readAs,
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
  as?: Reading,
): Promise<Opened> {
  try {
    return await session.open(chosen, onProgress, as);
  } catch (thrown) {
    return { fault: isMissingCode(thrown) ? `${CODE_IS_MISSING}.` : `${chosen.name} could not be read.` };
  }
}
