import { useQueryClient } from '@tanstack/react-query';
import type { TopicDefinition, DeleteTopicDefinitionData } from '../../../../contract/generated/types.gen.ts';
import type { Options } from '../../../api/generated/sdk.gen.ts';
import { deleteTopicDefinition } from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatConsumer } from './format.ts';
import { consumersQuery } from './queries.ts';

const MAX_NAMES = 5;

/** Deletes a custom topic after a confirmation that names its consumers. */
export function useDeleteTopic() {
  const client = useQueryClient();
  const { reason } = usePermission('deleteTopicDefinition');
  const deletion = useWrite('deleteTopicDefinition', {
    mutationFn: (options: Options<DeleteTopicDefinitionData, true>) => deleteTopicDefinition(options),
  });
  /** Resolves to whether the topic was deleted. */
  const remove = async ({ id, name, nextOffset, oldestOffset, etag }: TopicDefinition): Promise<boolean> => {
    const all = await client.fetchQuery(consumersQuery).catch(() => undefined);
    const consumers = all?.filter(({ topicId }) => topicId === id);
    const isDeleted = await confirmIrreversible({
      title: `Delete the topic ${name}?`,
      irreversible: `${pluralize(nextOffset - oldestOffset, 'stored event is', 'stored events are')} deleted with the positions of consumers. A new topic of this name begins at offset 0.`,
      breaks: 'Polls that name the topic are refused, and its destinations are deleted.',
      affects:
        consumers === undefined
          ? 'Its consumers could not be read.'
          : consumers.length === 0
            ? 'It has no consumers.'
            : `${consumers.slice(0, MAX_NAMES).map(formatConsumer).join('; ')}${
                consumers.length > MAX_NAMES ? ` and ${consumers.length - MAX_NAMES} more` : ''
              }`,
      action: 'Delete topic',
      expectedText: name,
      run: () =>
        deletion.mutateAsync({
          path: { topicId: id },
          ...(etag !== undefined && { headers: { 'If-Match': etag } }),
        }),
    });
    if (isDeleted) toast({ title: `The topic ${name} was deleted` });
    return isDeleted;
  };
  return { remove, reason };
}
