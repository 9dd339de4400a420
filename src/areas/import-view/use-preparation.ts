import type { Remote } from 'comlink';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PlanStore, OpenResult, OpenedFile } from '../../files/import-plan/plan-store.ts';
import { MAX_FILE_BYTES, formatFileTooLarge } from '../../files/table/limits.ts';
import type { ReadOptions } from '../../files/table/table.ts';
import { CODE_MISSING_MESSAGE, isCodeMissingError } from '../../lib/code-missing.ts';
import { toast } from '../../ui/toast.ts';

/** Connection to the worker that holds a file, until its import starts or is discarded. */
export interface FileSession {
  client: Remote<PlanStore>;
  open: (file: Blob, onProgress: (share: number) => void, as?: ReadOptions) => Promise<OpenResult>;
  close: () => void;
}

/** File that was read, with the chosen setup. */
export interface Prepared<Session extends FileSession, Setup> {
  id: string;
  name: string;
  file: OpenedFile;
  session: Session;
  setup: Setup;
  sourceFile: File;
  /** Options chosen for reading it, and the one changed last. */
  readOptions: ReadOptions;
  lastChangedOption?: keyof ReadOptions;
  /** Set while it is read again with other options. */
  rereading?: Rereading | undefined;
}

interface Rereading {
  readOptions: ReadOptions;
  share: number;
}

type Stage<Session extends FileSession, Setup> =
  | { status: 'empty'; error?: string | undefined }
  | { status: 'reading'; name: string; share: number }
  | ({ status: 'ready' } & Prepared<Session, Setup>);

export interface Preparation<Session extends FileSession, Setup> {
  stage: Stage<Session, Setup>;
  open: (file: File) => Promise<void>;
  change: (part: Partial<Setup>) => void;
  /** Reads the file again with other options; the current content stays until that is done. */
  readAs: (part: ReadOptions) => Promise<void>;
  discard: () => void;
}

/** State of preparing an import, from the file to the columns. It is lost with the page until the import starts. */
export function usePreparation<Session extends FileSession, Setup>(
  openSession: () => Session,
  setUp: (file: OpenedFile, session: Session, fileName: string) => Setup,
): Preparation<Session, Setup> {
  const [stage, setStage] = useState<Stage<Session, Setup>>({ status: 'empty' });
  const currentSession = useRef<Session>(undefined);
  const nextSession = useRef<Session>(undefined);
  const close = useCallback(() => {
    for (const one of [currentSession, nextSession]) {
      one.current?.close();
      one.current = undefined;
    }
  }, []);
  // The worker has to be terminated explicitly.
  useEffect(() => close, [close]);

  const open = async (sourceFile: File): Promise<void> => {
    close();
    if (sourceFile.size > MAX_FILE_BYTES)
      return setStage({
        status: 'empty',
        error: formatFileTooLarge(sourceFile.name),
      });
    const session = openSession();
    currentSession.current = session;
    const show = (share: number) => {
      if (currentSession.current === session) setStage({ status: 'reading', name: sourceFile.name, share });
    };
    show(0);
    const file = await read(session, sourceFile, show);
    // Another file was chosen in the meantime, or the page was left.
    if (currentSession.current !== session) return undefined;
    if ('error' in file) {
      close();
      return setStage({ status: 'empty', error: file.error });
    }
    const id = crypto.randomUUID();
    return setStage({
      status: 'ready',
      id,
      name: sourceFile.name,
      file,
      session,
      setup: setUp(file, session, sourceFile.name),
      sourceFile,
      readOptions: {},
    });
  };

  const readAs = async (part: ReadOptions): Promise<void> => {
    if (stage.status !== 'ready') return;
    const { sourceFile, id: before } = stage;
    const as = { ...(stage.rereading?.readOptions ?? stage.readOptions), ...part };
    const [saidLast] = (['sheet', 'separator', 'encoding'] as const).filter((key) => key in part);
    nextSession.current?.close();
    const session = openSession();
    nextSession.current = session;
    const update = (more: Partial<Prepared<Session, Setup>>) =>
      setStage((now) => (now.status === 'ready' && now.id === before ? { ...now, ...more } : now));
    const show = (share: number) => {
      if (nextSession.current === session) update({ rereading: { readOptions: as, share } });
    };
    show(0);
    const file = await read(session, sourceFile, show, as);
    if (nextSession.current !== session) return;
    nextSession.current = undefined;
    if ('error' in file) {
      update({ rereading: undefined });
      session.close();
      toast({ title: 'The file could not be read this way', description: file.error, tone: 'bad' });
      return;
    }
    currentSession.current?.close();
    currentSession.current = session;
    const id = crypto.randomUUID();
    update({
      id,
      file,
      session,
      setup: setUp(file, session, sourceFile.name),
      readOptions: as,
      rereading: undefined,
      ...(saidLast && { lastChangedOption: saidLast }),
    });
  };

  return {
    stage,
    open,
    change: (part) =>
      setStage((now) => (now.status === 'ready' ? { ...now, setup: { ...now.setup, ...part } } : now)),
    readAs,
    discard: () => {
      close();
      setStage({ status: 'empty' });
    },
  };
}

async function read(
  session: FileSession,
  sourceFile: File,
  onProgress: (share: number) => void,
  as?: ReadOptions,
): Promise<OpenResult> {
  try {
    return await session.open(sourceFile, onProgress, as);
  } catch (thrown) {
    return {
      error: isCodeMissingError(thrown)
        ? `${CODE_MISSING_MESSAGE}.`
        : `${sourceFile.name} could not be read.`,
    };
  }
}
