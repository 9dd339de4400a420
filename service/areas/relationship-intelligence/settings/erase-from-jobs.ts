import type { EmailAddress, RelationshipImportItem } from '../../../../contract/generated/types.gen.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import {
  countItemsWithText,
  readItemsWithText,
  replaceInput,
} from '../../../kernel/jobs/item-inputs.store.ts';

/** The kind of the jobs that import. */
export const IMPORT_JOB = 'relationships.import';

/**
 * Removes an address from what jobs have not imported yet or could not import, so that neither they nor a retry bring it back; done items
 * lose what was requested. @returns the number of items that still have it
 */
export async function eraseFromJobs(tx: Tx, siteId: number, address: string): Promise<number> {
  const where = { siteId, kind: IMPORT_JOB, text: address };
  for await (const { input, isDone, ...key } of readItemsWithText(tx, where))
    await replaceInput(tx, key, isDone ? {} : removeAddress(toImportItem(input), address));
  return countItemsWithText(tx, where);
}

// The contract validated the items of these jobs before they were stored.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const toImportItem = (input: object): RelationshipImportItem => input as RelationshipImportItem;

/** An item without the person of an address: e-mails and meetings in which no sender or no recipient remains are left out. */
function removeAddress(item: RelationshipImportItem, address: string): RelationshipImportItem {
  const isOther = (party: EmailAddress) => party.address.toLowerCase() !== address;
  // An address can stand as a name too, even with another address.
  const rename = (party: EmailAddress) =>
    party.name.toLowerCase() === address ? { ...party, name: party.address } : party;
  const clean = (parties: readonly EmailAddress[]) => parties.filter(isOther).map(rename);
  const emails = item.emails?.flatMap((email) => {
    const recipientsTo = clean(email.recipientsTo);
    const { sender, recipientsCc } = email;
    if (!isOther(sender) || recipientsTo.length === 0) return [];
    return [
      {
        ...email,
        sender: rename(sender),
        recipientsTo,
        ...(recipientsCc && { recipientsCc: clean(recipientsCc) }),
      },
    ];
  });
  const meetings = item.meetings?.flatMap((meeting) => {
    const attendees = clean(meeting.attendees);
    const { organizer } = meeting;
    return isOther(organizer) && attendees.length > 0
      ? [{ ...meeting, organizer: rename(organizer), attendees }]
      : [];
  });
  return { ...item, ...(emails && { emails }), ...(meetings && { meetings }) };
}
