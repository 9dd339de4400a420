import type { QueryClient } from '@tanstack/react-query';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { capabilitiesOf, groupQuery, lackingFor } from '../../../directory/groups.ts';

const ALL = capabilities.map(({ name }) => name);

/** The groups among these that give what somebody does not hold, each with what they lack. */
export async function readBarred(
  client: QueryClient,
  held: readonly Capability[],
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const barred = new Map<number, string>();
  // Who holds everything is kept from nothing.
  if (lackingFor(held, ALL) === undefined) return barred;
  await Promise.all(
    groupIds.map(async (id) => {
      try {
        const { data } = await client.fetchQuery(groupQuery(id));
        const lacks = lackingFor(held, capabilitiesOf(data));
        if (lacks !== undefined) barred.set(id, lacks);
      } catch (thrown) {
        // Somebody has deleted it; its rows are told so when they are sent.
        if (toServiceError(thrown).status !== 404) throw thrown;
      }
    }),
  );
  return barred;
}
