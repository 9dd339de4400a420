import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAllowed, useSession } from '../../../../api/session.ts';
import { useDirectory } from '../../../../directory/directory.ts';
import type { Opened } from '../../../../import/desk.ts';
import { readBarred } from '../../../../import/barred.ts';
import { guessMapping } from '../../../../import/fields.ts';
import type { Mapping } from '../../../../import/fields.ts';
import type { Choices, Permissions } from '../../../../import/plan.ts';
import { openSession } from '../../../../import/session.ts';
import type { ImportSession } from '../../../../import/session.ts';

type OpenedFile = Exclude<Opened, { fault: string }>;

/** A file that was read and waits to be imported. */
export interface Prepared {
  id: string;
  name: string;
  file: OpenedFile;
  session: ImportSession;
  mapping: Mapping;
  choices: Choices;
}

type Stage =
  | { at: 'empty'; fault?: string | undefined }
  | { at: 'reading'; name: string; share: number }
  | ({ at: 'ready' } & Prepared);

const MOST_BYTES = 100 * 1024 * 1024;

/** From a chosen file to its columns. Whatever is prepared here is gone with the page, until it is handed over. */
export function usePreparation() {
  const { site } = useSession();
  const [stage, setStage] = useState<Stage>({ at: 'empty' });
  const held = useRef<ImportSession>(undefined);
  const close = useCallback(() => {
    held.current?.close();
    held.current = undefined;
  }, []);
  // A worker does not go with the page by itself.
  useEffect(() => close, [close]);

  const open = async (chosen: File) => {
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
    const guessed = guessMapping(file.headings);
    // An identity manager decides federation ids there (spec 2.1).
    const without = site.identityMode === 'identity-manager' ? 'federationId' : undefined;
    const mapping = guessed.map((field) => (field === without ? undefined : field));
    return setStage({
      at: 'ready',
      id: crypto.randomUUID(),
      name: chosen.name,
      file,
      session,
      mapping,
      choices: { groups: 'add' },
    });
  };

  return {
    stage,
    open,
    change: (part: Partial<Pick<Prepared, 'mapping' | 'choices'>>) =>
      setStage((now) => (now.at === 'ready' ? { ...now, ...part } : now)),
    giveUp: () => {
      close();
      setStage({ at: 'empty' });
    },
  };
}

async function read(
  session: ImportSession,
  chosen: File,
  onProgress: (share: number) => void,
): Promise<Opened> {
  try {
    return await session.open(chosen, onProgress);
  } catch {
    return { fault: `${chosen.name} could not be read.` };
  }
}

/** What would become of the rows; checked again when columns, choices or people change. */
export function useCheck({ id, session, mapping, choices }: Prepared) {
  const { groups, version, complete } = useDirectory();
  const { user, capabilities } = useSession();
  const may = usePermissions();
  const names = groups.map(({ id: groupId, name }) => ({ id: groupId, name }));
  return useQuery({
    // The file and the answers stay in this tab: the key is its own.
    queryKey: ['import-check', id, mapping, choices, may, capabilities, names, version],
    queryFn: ({ client }) =>
      session.check({ mapping, choices, may, me: user.id, groups: names }, version, (groupIds) =>
        readBarred(client, capabilities, groupIds),
      ),
    enabled: complete && canTellPeople(mapping),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** Without an e-mail address or an id nobody knows whom a row is about. */
export const canTellPeople = (mapping: Mapping): boolean =>
  mapping.includes('email') || mapping.includes('id');

function usePermissions(): Permissions {
  return {
    create: useAllowed('createUser').reason,
    update: useAllowed('updateUser').reason,
    license: useAllowed('updateUserLicense').reason,
    assign: useAllowed('assignGroups').reason,
    unassign: useAllowed('unassignGroups').reason,
  };
}
