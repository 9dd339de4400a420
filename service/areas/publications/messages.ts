import type { StoredMessage } from './publications.store.ts';

/** Characters of a response; a single message may be longer. */
const MAX_RESPONSE_CHARACTERS = 8_000_000;
/** A message as JSON text: topic and offset before the stored envelope. */
export const formatMessage = (
  { body, off }: Pick<StoredMessage, 'body' | 'off'>,
  topicName: string,
): string => `{"topicName":${JSON.stringify(topicName)},"topicOffset":${off},${body.slice(1)}`;

/** Messages of several topics as a JSON list: the oldest first, in order within each topic, bounded in number and size. */
export function formatMessages(
  messages: readonly StoredMessage[],
  names: ReadonlyMap<number, string>,
  count: number,
): string {
  const queues = [...Map.groupBy(messages, ({ topicId }) => topicId).values()];
  const texts: string[] = [];
  let characters = 0;
  while (texts.length < count && (characters < MAX_RESPONSE_CHARACTERS || texts.length === 0)) {
    // The heads only: within a topic a later offset can have an earlier time.
    const [queue] = queues
      .filter(({ length }) => length > 0)
      .toSorted(([a], [b]) => (a?.at.getTime() ?? 0) - (b?.at.getTime() ?? 0));
    const message = queue?.shift();
    if (!message) break;
    const text = formatMessage(message, names.get(message.topicId) ?? '');
    characters += text.length;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}
