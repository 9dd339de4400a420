import type { StoredMessage } from './messages.store.ts';

/** Characters of a response; a single message may be longer. */
const MAX_RESPONSE_CHARACTERS = 8_000_000;
/** A message as JSON text: topic and offset before the stored envelope. */
export const formatMessage = (
  { body, off }: Pick<StoredMessage, 'body' | 'off'>,
  topicName: string,
): string => `{"topicName":${JSON.stringify(topicName)},"topicOffset":${off},${body.slice(1)}`;

/** The messages of several topics in the order of their times; within a topic in their order, as a later offset can have an earlier time. */
function* mergeTopics(messages: readonly StoredMessage[]): Iterable<StoredMessage> {
  const topics = [...Map.groupBy(messages, ({ topicId }) => topicId).values()].map((list) => list.values());
  const heads = topics.map((topic) => ({ topic, message: topic.next().value }));
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads)
      if (head.message && (!first?.message || head.message.at < first.message.at)) first = head;
    if (!first?.message) return;
    yield first.message;
    first.message = first.topic.next().value;
  }
}

/** Messages of several topics as a JSON list: the oldest first, in order within each topic, bounded in number and size. */
export function formatMessages(
  messages: readonly StoredMessage[],
  names: ReadonlyMap<number, string>,
  count: number,
): string {
  const texts: string[] = [];
  let characters = 0;
  for (const message of mergeTopics(messages)) {
    if (texts.length >= count || (characters >= MAX_RESPONSE_CHARACTERS && texts.length > 0)) break;
    const text = formatMessage(message, names.get(message.topicId) ?? '');
    characters += text.length;
    texts.push(text);
  }
  return `[${texts.join(',')}]`;
}
