import { Webhook } from 'standardwebhooks';
import type { NatsCredentials } from '../../../../contract/generated/types.gen.ts';
import { EVENT_RETENTION_DAYS } from '../../../../contract/rules/events.ts';
import { type Db, withTransaction } from '../../../kernel/db/database.ts';
import type { Services } from '../../../kernel/http/handler.ts';
import { EgressError, type Egress } from '../../../kernel/network/egress.ts';
import { listCapabilityHolders, notify } from '../../../kernel/notifications.store.ts';
import { formatNumber, pluralize } from '../../../kernel/numbers.ts';
import { createItemTask, describeError } from '../../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../../kernel/tasks/scheduled-tasks.ts';
import { readMessages } from '../messages.store.ts';
import { formatMessage } from '../messages.ts';
import * as store from './destinations.store.ts';
import type { DueDestination, NewAttempt } from './destinations.store.ts';

const TASK = 'deliver events to destinations';
/** Destinations to which a process delivers at the same time, so that a slow receiver does not hold up the others. */
const LANES = 3;
/** Names of the scheduled tasks to wake when there is something to deliver. */
export const DELIVERY_TASKS: readonly string[] = Array.from(
  { length: LANES },
  (_, index) => `${TASK} ${index + 1}`,
);
const INTERVAL_MS = 1_000;
/** Messages that a process delivers to a destination before it takes another one. */
const BATCH_SIZE = 20;
/** A destination whose receiver is slow gives way after this time. */
const TURN_MS = 2_000;
/** A destination that has failed for this long is switched off. */
const MAX_FAILING_MS = 3 * 86_400_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 3_600_000;
const MAX_DETAIL_LENGTH = 500;
/** A destination that loses events again within this time is not reported again. */
const LOSS_QUIET_MS = 86_400_000;

/** Milliseconds until the next attempt after `failures` failures in a row: 5 s, 20 s, 80 s, 320 s, then up to an hour. */
export const getDeliveryRetryMs = (failures: number): number =>
  Math.min(FIRST_RETRY_MS * 4 ** (failures - 1), MAX_RETRY_MS);

/** Context of the encryption of signing keys and credentials. */
export const getSecretContext = (siteId: number): string => `publication destination of site ${siteId}`;

/** Address and secret of a destination. */
type DeliveryTarget = Pick<DueDestination, 'id' | 'siteId' | 'kind' | 'url' | 'subject' | 'secret'>;

/** A message as a destination gets it. */
interface Delivery {
  off: number;
  eventId: string;
  body: string;
}

/**
 * Id of a message by which its receiver drops repeats: the same for each attempt. Several topics have messages of one event, and their
 * destinations may share a receiver or a stream.
 */
const getMessageId = (eventId: string, destinationId: number): string => `${eventId}.${destinationId}`;

/** Sends messages to a destination, one after the other. */
interface Sender {
  /** Sends one message. `isDelivered` is false for every answer that does not confirm it. */
  send(message: Delivery): Promise<NewAttempt & { isDelivered: boolean }>;
  close(): Promise<void>;
}

/**
 * A sender for a batch of messages; it must be closed. The egress guard checks every address and bounds time and size of answers. With a
 * secret that cannot be decrypted every attempt fails, so that the destination shows the reason.
 */
export async function createSender(
  { egress, encryption }: Pick<Services, 'egress' | 'encryption'>,
  { id, siteId, kind, url, subject, secret: encrypted }: DeliveryTarget,
): Promise<Sender> {
  const address = kind === 'Webhook' ? url : `${url} ${subject ?? ''}`;
  // Signing key of a webhook; credentials of a JetStream destination as JSON, empty without.
  let secret = '';
  try {
    if (encrypted) secret = encryption.decrypt(encrypted, getSecretContext(siteId)).toString('utf8');
  } catch (error) {
    const name = kind === 'Webhook' ? 'The signing key' : 'The credentials';
    const detail = cleanDetail(`${name} cannot be decrypted: ${describeError(error)}`);
    const attempt = { address, durationMs: 0, status: null, detail, isDelivered: false };
    return { send: async ({ off, eventId }) => ({ ...attempt, off, eventId }), close: async () => {} };
  }
  if (kind === 'Webhook')
    return { send: (message) => sendRequest(egress, { id, url, secret }, message), close: async () => {} };
  // Loaded here, for the memory and the start of services without a destination of this kind (decision 0043).
  const { createJetStreamPublisher } = await import('./jetstream.ts');
  const publisher = createJetStreamPublisher(egress, {
    url,
    subject: subject ?? '',
    credentials: secret === '' ? undefined : (JSON.parse(secret) as NatsCredentials),
  });
  return {
    close: () => publisher.close(),
    async send({ off, eventId, body }) {
      const startedAt = performance.now();
      const { status, detail } = await publisher.publish({
        messageId: getMessageId(eventId, id),
        body,
      });
      const durationMs = Math.round(performance.now() - startedAt);
      return {
        off,
        eventId,
        address,
        durationMs,
        status,
        detail: cleanDetail(detail),
        isDelivered: status === 200,
      };
    },
  };
}

/** Text of a receiver as it is stored. */
const cleanDetail = (text: string): string =>
  text.slice(0, MAX_DETAIL_LENGTH).replaceAll('\0', '').toWellFormed();

/**
 * Sends one message with the signature of Standard Webhooks. A redirect is a failure.
 */
async function sendRequest(
  egress: Egress,
  { id, url, secret }: { id: number; url: string; secret: string },
  { off, eventId, body }: Delivery,
): Promise<NewAttempt & { isDelivered: boolean }> {
  const sentAt = new Date();
  const startedAt = performance.now();
  const attempt = { off, eventId, address: url };
  const messageId = getMessageId(eventId, id);
  try {
    const response = await egress.fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Steward',
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(messageId, sentAt, body),
      },
    });
    const durationMs = Math.round(performance.now() - startedAt);
    const detail = cleanDetail(await response.text());
    return { ...attempt, durationMs, status: response.status, detail, isDelivered: response.ok };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const durationMs = Math.round(performance.now() - startedAt);
    return { ...attempt, durationMs, status: null, detail: error.message, isDelivered: false };
  }
}

const getEventId = (body: string): string => String((JSON.parse(body) as { eventId?: unknown }).eventId);

interface DeliveryContext {
  db: Db;
  services: Pick<Services, 'egress' | 'encryption' | 'publicUrl'>;
}

/** Messages of a topic as a destination gets them. */
export async function readDeliveries(
  db: Db,
  { siteId, topicId, topicName }: { siteId: number; topicId: number; topicName: string },
  from: number,
  limit: number,
): Promise<Delivery[]> {
  const messages = await readMessages(db, siteId, { topicId, from, limit });
  return messages.map((message) => ({
    off: message.off,
    eventId: getEventId(message.body),
    body: formatMessage(message, topicName),
  }));
}

/**
 * Delivers a batch of messages in order. The first that fails is tried again later and holds up those after it. No transaction is open
 * during a request; the fence of the lease makes a process whose lease has lapsed save nothing. When the service stops or the turn is
 * over, the batch ends after the message on its way: receivers can be slow.
 * @returns whether there may be more to deliver now
 */
async function deliver(
  { db, services }: DeliveryContext,
  { siteId, id, signal }: { siteId: number; id: number; signal: AbortSignal },
): Promise<boolean> {
  const due = await store.leaseDestination(db, siteId, id);
  if (!due) return false;
  const messages = await readDeliveries(db, due, due.next, BATCH_SIZE);
  const oldest = messages[0]?.off ?? due.oldest;
  if (oldest > due.next && !(await skipLostEvents({ db, services }, due, oldest))) return false;
  due.next = Math.max(due.next, oldest);
  if (messages.length === 0) {
    // All events that were due have been deleted.
    await store.saveDelivery(db, due, { ...due, retryInMs: 0, disabledReason: null, keepsLease: false });
    return false;
  }
  const sender = await createSender(services, due);
  const endsAt = performance.now() + TURN_MS;
  try {
    for (const [index, message] of messages.entries()) {
      const { isDelivered, ...attempt } = await sender.send(message);
      await store.insertAttempt(db, siteId, id, attempt);
      if (!isDelivered) {
        await saveFailure({ db, services }, due, message.off, attempt);
        return false;
      }
      due.failures = 0;
      due.failingSince = null;
      const isLast = signal.aborted || performance.now() > endsAt || index === messages.length - 1;
      const isSaved = await store.saveDelivery(db, due, {
        next: message.off + 1,
        failures: 0,
        failingSince: null,
        retryInMs: 0,
        disabledReason: null,
        keepsLease: !isLast,
      });
      if (!isSaved) return false;
      if (isLast) break;
    }
  } finally {
    await sender.close();
  }
  return true;
}

/**
 * Continues with the oldest kept event, counts those before it and tells the administrators, once for losses that follow each other.
 * @returns whether the process still has the lease
 */
async function skipLostEvents(
  { db, services }: DeliveryContext,
  due: DueDestination,
  oldest: number,
): Promise<boolean> {
  return withTransaction(db, {}, async (tx) => {
    if (!(await store.skipLostEvents(tx, due, oldest))) return false;
    if (due.lostDate && due.leasedAt.getTime() - due.lostDate.getTime() < LOSS_QUIET_MS) return true;
    const count = oldest - due.next;
    const offsets = [...new Set([due.next, oldest - 1])].map(formatNumber).join(' to ');
    await notify(tx, services.publicUrl, {
      siteId: due.siteId,
      userIds: await listCapabilityHolders(tx, due.siteId, 'Manage Publications'),
      category: 'alert',
      title: `${due.name} has lost ${pluralize(count, 'event')}`,
      detail: `Events are kept for ${EVENT_RETENTION_DAYS} days. ${pluralize(count, 'event')} of ${due.topicName} ${count === 1 ? 'was' : 'were'} deleted before delivery (${count === 1 ? 'offset' : 'offsets'} ${offsets}).`,
      path: `/publications/destinations/${due.id}`,
      isMailedByDefault: true,
    });
    return true;
  });
}

/** Schedules the next attempt, or switches the destination off after 3 days and tells the administrators. */
async function saveFailure(
  { db, services }: DeliveryContext,
  due: DueDestination,
  off: number,
  { status, detail }: NewAttempt,
): Promise<void> {
  const failingSince = due.failingSince ?? due.leasedAt;
  const failures = due.failures + 1;
  const isOver = due.leasedAt.getTime() - failingSince.getTime() >= MAX_FAILING_MS;
  const reason = status === null || due.kind === 'JetStream' ? detail : `The destination answered ${status}`;
  const isSaved = await store.saveDelivery(db, due, {
    next: off,
    failures,
    failingSince,
    retryInMs: getDeliveryRetryMs(failures),
    disabledReason: isOver ? reason : null,
    keepsLease: false,
  });
  if (!isSaved || !isOver) return;
  await withTransaction(db, {}, async (tx) =>
    notify(tx, services.publicUrl, {
      siteId: due.siteId,
      userIds: await listCapabilityHolders(tx, due.siteId, 'Manage Publications'),
      category: 'alert',
      title: `Events are no longer sent to ${due.name}`,
      detail: `All attempts of 3 days have failed: ${reason}`,
      path: '/publications',
      // The events are kept for 9 days, 3 of which have passed.
      isMailedByDefault: true,
    }),
  );
}

/**
 * Scheduled task that pushes events to the destinations of all sites, one of several in a process. Leases share the destinations among
 * them, and failures count for all together.
 */
export const createDeliveryTask = (context: DeliveryContext, name = TASK): ScheduledTask => ({
  ...createItemTask(context.db, {
    name: TASK,
    intervalMs: INTERVAL_MS,
    maxRunMs: 30_000,
    async listItems() {
      const destinations = await store.listDueDestinations(context.db);
      return destinations.map((each) => ({ ...each, item: `destination ${each.id}` }));
    },
    runStep: ({ siteId, id }, signal) => deliver(context, { siteId, id, signal }),
  }),
  name,
});

const ATTEMPT_BATCH = 10_000;

/** Scheduled task that deletes attempts when their events are deleted. */
export const createAttemptRetentionTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'delete old delivery attempts',
  intervalMs: 3_600_000,
  run: async () => {
    const deleted = await store.deleteOldAttempts(db, EVENT_RETENTION_DAYS, ATTEMPT_BATCH);
    return deleted === ATTEMPT_BATCH ? { runAgainInMs: 0 } : undefined;
  },
});
