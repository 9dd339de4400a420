import { useQueryClient } from '@tanstack/react-query';
import { deleteGroup } from '../../../api/generated/sdk.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { capabilitiesOf, groupQuery } from '../../../directory/groups.ts';
import { counted } from '../../../lib/numbers.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { EffectsPreview } from '../matrix/EffectsPreview.tsx';
import { useEffects } from '../matrix/use-effects.ts';
import { wordsFor } from '../model/words.ts';

interface Doomed {
  id: number;
  name: string;
}

type Leave = () => Promise<unknown>;
const stay: Leave = () => Promise.resolve();

/** Deletes a group after asking for its name; says how many people lose which capabilities. */
export function useDeleteGroup() {
  const client = useQueryClient();
  const removal = useWrite('deleteGroup', {
    async mutationFn({ groupId, etag, leave }: { groupId: number; etag: string | undefined; leave: Leave }) {
      await deleteGroup({ path: { groupId }, ...(etag !== undefined && { headers: { 'If-Match': etag } }) });
      // Its page would read it again, and it is gone.
      await leave();
    },
  });
  return async ({ id, name }: Doomed, leave: Leave = stay): Promise<void> => {
    // What is said of its capabilities must be so: the entity tag of this reading goes with the deletion.
    const read = await client.fetchQuery({ ...groupQuery(id), staleTime: 0 }).catch((thrown: unknown) => {
      toast({ title: `${name} was not deleted`, description: wordsFor(thrown).message, tone: 'bad' });
    });
    if (!read) return;
    const { data, etag } = read;
    const done = await passOneWayDoor({
      title: `Delete ${name}?`,
      ...doorOf(capabilitiesOf(data), data.userCount),
      details: data.userCount > 0 && <Losses groupId={id} gives={capabilitiesOf(data)} />,
      action: 'Delete group',
      typed: name,
      run: () =>
        removal.mutateAsync({ groupId: id, etag, leave }).catch((thrown: unknown) => {
          throw wordsFor(thrown);
        }),
    });
    if (done) toast({ title: `${name} was deleted` });
  };
}

type Capabilities = ReturnType<typeof capabilitiesOf>;

const NOTHING: Capabilities = [];

/** What lies behind the door. */
const doorOf = (gives: Capabilities, members: number) => ({
  final:
    'A deleted group cannot be brought back: a new one has to be made, with its capabilities and members.',
  breaks:
    gives.length === 0
      ? 'It gives no capabilities, so nobody loses any.'
      : 'What it alone gives its members, they lose at once.',
  affects:
    members === 0
      ? 'Nobody is in it.'
      : `${counted(members, 'member leaves', 'members leave')} it and ${members === 1 ? 'stays a user' : 'stay users'} of the site.`,
});

/** Who loses which capabilities. */
function Losses({ groupId, gives }: { groupId: number; gives: Capabilities }) {
  const preview = useEffects({ groupId, before: gives, after: NOTHING });
  return (
    <div className="deletion">
      <EffectsPreview {...preview} />
    </div>
  );
}
