import { randomBytes } from 'node:crypto';
import type { DeliveryAttempt, Destination } from '../../../contract/generated/types.gen.ts';
import { badRequest, conflict, notFound } from '../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { validateEgressUrl } from '../../kernel/egress.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import {
  DELIVERY_TASK,
  getDeliveryTarget,
  getSecretContext,
  readDeliveries,
  sendMessage,
} from './deliver.ts';
import * as store from './destinations.store.ts';
import type { StoredAttempt, StoredDestination } from './destinations.store.ts';
import { listTopics } from './publications.store.ts';

type Operations =
  | 'listDestinations'
  | 'createDestination'
  | 'getDestination'
  | 'updateDestination'
  | 'deleteDestination'
  | 'listDeliveryAttempts'
  | 'resendEvents';

/** Maximum number of destinations of a site. */
const MAX_DESTINATIONS = 50;
/** Bytes of a signing key (Standard Webhooks: 24 to 64). */
const SECRET_BYTES = 32;
const DEFAULT_ATTEMPTS = 100;

export const destinationHandlers: Handlers<Operations> = {
  async listDestinations({ db, caller }) {
    return ok((await store.listDestinations(db, caller.siteId)).map(toDestination));
  },

  async getDestination({ db, caller, params }) {
    return respondWithDestination(db, caller.siteId, params.destinationId);
  },

  async createDestination(call) {
    const { caller, body, services } = call;
    requireUrl(body.url);
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const sealed = services.encryption.encrypt(Buffer.from(secret), getSecretContext(caller.siteId));
    const id = await change(call.db, getActor(call), async (tx, record) => {
      const topic = (await listTopics(tx, caller.siteId)).find(({ topicId }) => topicId === body.topicId);
      if (!topic) throw badRequest([{ path: 'topicId', message: `Topic ${body.topicId} does not exist` }]);
      const destinations = await store.listDestinations(tx, caller.siteId);
      if (destinations.length >= MAX_DESTINATIONS)
        throw conflict(`A site has at most ${MAX_DESTINATIONS} destinations`);
      const created = await store.insertDestination(tx, caller.siteId, body, sealed);
      if (created === undefined) throw nameTaken(body.name);
      record({
        action: 'destination.create',
        subject: ['destination', created],
        changes: diffProperties(undefined, { name: body.name, url: body.url, topic: topic.name }),
      });
      return created;
    });
    const destination = await requireDestination(call.db, caller.siteId, id);
    return ok({ ...toDestination(destination), secret });
  },

  async updateDestination(call) {
    const { caller, body, params } = call;
    if (body.url !== undefined) requireUrl(body.url);
    await change(call.db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, caller.siteId, params.destinationId, { lock: true });
      requireVersion(call.ifMatch, before.version, `Destination ${before.id}`);
      const after = { ...pickContent(before), ...body };
      const changes = diffProperties(pickContent(before), after);
      if (Object.keys(changes).length === 0) return;
      if (!(await store.updateDestination(tx, caller.siteId, before.id, after))) throw nameTaken(after.name);
      record({ action: 'destination.update', subject: ['destination', before.id], changes });
    });
    call.services.wakeTask(DELIVERY_TASK);
    return respondWithDestination(call.db, caller.siteId, params.destinationId);
  },

  async deleteDestination(call) {
    await change(call.db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, call.caller.siteId, call.params.destinationId, {
        lock: true,
      });
      requireVersion(call.ifMatch, before.version, `Destination ${before.id}`);
      await store.deleteDestination(tx, call.caller.siteId, before.id);
      record({
        action: 'destination.delete',
        subject: ['destination', before.id],
        changes: diffProperties(pickContent(before), undefined),
      });
    });
    return noContent;
  },

  async listDeliveryAttempts({ db, caller, params, query }) {
    await requireDestination(db, caller.siteId, params.destinationId);
    const page = { before: query.before, limit: query.limit ?? DEFAULT_ATTEMPTS };
    return ok((await store.listAttempts(db, caller.siteId, params.destinationId, page)).map(toAttempt));
  },

  async resendEvents(call) {
    const { db, caller, params, body, services } = call;
    const { siteId } = caller;
    if ((body.offset === undefined) === (body.since === undefined))
      throw badRequest([{ path: 'body', message: 'must have either offset or since' }]);
    const destination = await requireDestination(db, siteId, params.destinationId);
    const next =
      body.since === undefined
        ? undefined
        : await store.findOffsetSince(db, siteId, destination.topicId, new Date(body.since));
    const [message] =
      body.offset === undefined ? [] : await readDeliveries(db, { siteId, ...destination }, body.offset, 1);
    if (body.offset !== undefined && message?.off !== body.offset)
      throw badRequest([
        { path: 'offset', message: `${destination.topicName} has no kept event ${body.offset}` },
      ]);
    await change(db, getActor(call), async (tx, record) => {
      const before = await requireDestination(tx, siteId, destination.id, { lock: true });
      if (next !== undefined)
        await store.rewindDestination(tx, siteId, destination.id, Math.min(next, before.next));
      record({
        action: 'destination.resend',
        subject: ['destination', destination.id],
        changes: body.offset === undefined ? { since: body.since } : { offset: body.offset },
      });
    });
    if (!message) {
      services.wakeTask(DELIVERY_TASK);
      return ok({ attempts: [] });
    }
    const target = await getDeliveryTarget({ db, services }, siteId, destination);
    const { isDelivered: _isDelivered, ...attempt } = await sendMessage(services.egress, target, message);
    await store.insertAttempt(db, siteId, destination.id, attempt);
    const attempts = await store.listAttempts(db, siteId, destination.id, { before: undefined, limit: 1 });
    return ok({ attempts: attempts.map(toAttempt) });
  },
};

const pickContent = ({ name, url, isEnabled }: StoredDestination) => ({ name, url, isEnabled });

function toDestination({
  failingSince,
  nextAttemptAt,
  version,
  ...destination
}: StoredDestination): Destination {
  return {
    ...destination,
    failingSince: failingSince?.toISOString() ?? null,
    nextAttemptDate: failingSince && destination.isEnabled ? nextAttemptAt.toISOString() : null,
    etag: formatEtag(version),
  };
}

const toAttempt = ({ at, off, ...attempt }: StoredAttempt): DeliveryAttempt => ({
  ...attempt,
  offset: off,
  date: at.toISOString(),
});

async function requireDestination(db: Db, siteId: number, id: number, options?: { lock: boolean }) {
  const destination = await store.getDestination(db, siteId, id, options);
  if (!destination) throw notFound(`Destination ${id}`);
  return destination;
}

async function respondWithDestination(db: Db, siteId: number, id: number) {
  const destination = await requireDestination(db, siteId, id);
  return ok(toDestination(destination), { etag: formatEtag(destination.version) });
}

const nameTaken = (name: string) =>
  conflict(`A destination named ${name} already exists`, [
    { path: 'name', message: 'is the name of another destination' },
  ]);

/** @throws ApiError 400 for an address that the service never calls */
function requireUrl(url: string): void {
  const message = validateEgressUrl(url);
  if (message !== undefined) throw badRequest([{ path: 'url', message }]);
}
