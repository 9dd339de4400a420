import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useAllowed, useSession } from '../../../../api/session.ts';
import { useDirectory } from '../../../../directory/directory.ts';
import type { OpenedFile } from '../../../../import/board.ts';
import { readBarred } from '../../../../import/people/barred.ts';
import { guessMapping } from '../../../../import/people/fields.ts';
import type { Mapping } from '../../../../import/people/fields.ts';
import type { Choices, Permissions } from '../../../../import/people/plan.ts';
import { openSession } from '../../../../import/people/session.ts';
import type { PeopleSession } from '../../../../import/people/session.ts';
import { usePreparation } from '../../../../import/view/use-preparation.ts';
import type { Prepared } from '../../../../import/view/use-preparation.ts';

export interface PeopleSetup {
  mapping: Mapping;
  choices: Choices;
}

export type PreparedPeople = Prepared<PeopleSession, PeopleSetup>;

/** A file of people on its way to the import. */
export function usePeoplePreparation() {
  const { site } = useSession();
  // An identity manager decides federation ids there (spec 2.1).
  const without = site.identityMode === 'identity-manager' ? 'federationId' : undefined;
  return usePreparation<PeopleSession, PeopleSetup>(openSession, ({ headings }: OpenedFile) => ({
    mapping: guessMapping(headings).map((field) => (field === without ? undefined : field)),
    choices: { groups: 'add' },
  }));
}

/** What would become of the rows; checked again when columns, choices or people change. */
export function useCheck({ id, session, setup: { mapping, choices } }: PreparedPeople) {
  const { groups, version, complete } = useDirectory();
  const { user, capabilities } = useSession();
  const may = usePermissions();
  const names = groups.map(({ id: groupId, name }) => ({ id: groupId, name }));
  return useQuery({
    // The file and the answers stay in this tab: the key is its own.
    queryKey: ['import-check', id, mapping, choices, may, capabilities, names, version],
    queryFn: ({ client, signal }) =>
      session.check(
        { mapping, choices, may, me: user.id, groups: names },
        version,
        (groupIds) => readBarred(client, capabilities, groupIds),
        signal,
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
