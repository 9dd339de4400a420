/** Messages to a subject of NATS JetStream, through the egress guard. */
import { isIP, type Socket } from 'node:net';
import { jetstream, JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import {
  credsAuthenticator,
  errors,
  headers,
  NatsConnectionImpl,
  setTransportFactory,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import type { NatsCredentials } from '../../../../contract/generated/types.gen.ts';
import { EgressError, type Egress, validateNatsUrl } from '../../../kernel/network/egress.ts';

const DEFAULT_PORT = 4222;
/** Shares of the time limit of the egress guard for the connection and for one message. */
const CONNECT_SHARE = 0.5;
const PUBLISH_SHARE = 0.4;

type GuardedOptions = NodeConnectionOptions & { dial: () => Promise<Socket> };

/** The transport of the library with a socket of the egress guard, which the library neither resolves nor opens itself. */
class GuardedTransport extends NodeTransport {
  #dial: (() => Promise<Socket>) | undefined;

  override async connect(
    server: { hostname: string; port: number; tlsName: string },
    options: GuardedOptions,
  ): Promise<void> {
    this.#dial = options.dial;
    // The library knows the name only when it has resolved it itself.
    const tlsName = isIP(server.hostname) ? '' : server.hostname;
    await super.connect({ ...server, tlsName }, options);
  }

  override async dial(): Promise<Socket> {
    if (!this.#dial) throw new Error('A NATS connection must be opened through the egress guard');
    return this.#dial();
  }
}

interface JetStreamTarget {
  url: string;
  subject: string;
  credentials: NatsCredentials | undefined;
}

interface Connection {
  nats: NatsConnection;
  close(): Promise<void>;
}

/**
 * Connects to the server of the address and to no other: addresses that the server names are ignored, and nothing is
 * connected again. With `tls://` a server without TLS, or with a certificate that is not valid for the name, is refused before
 * credentials are sent.
 */
async function open(egress: Egress, { url, credentials = {} }: JetStreamTarget): Promise<Connection> {
  const issue = validateNatsUrl(url);
  if (issue !== undefined) throw new Error(`The URL ${issue}`);
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const server = { host, port: Number(port || DEFAULT_PORT) };
  // The certificate is checked against `host` when there is no server name, that is, for an address.
  const tls = { rejectUnauthorized: true, host };
  let socket: Socket | undefined;
  let isGivenUp = false;
  const options: GuardedOptions = {
    servers: `${hostname}:${server.port}`,
    dial: async () => {
      socket = await egress.connect(server);
      // The library waits less long than the name may take to be found, and leaves a later connection open.
      if (isGivenUp) socket.destroy();
      return socket;
    },
    tls: protocol === 'tls:' ? tls : null,
    resolve: false,
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: egress.timeLimitMs * CONNECT_SHARE,
    name: 'Steward',
    ...(credentials.user !== undefined && { user: credentials.user, pass: credentials.password ?? '' }),
    ...(credentials.token !== undefined && { token: credentials.token }),
    ...(credentials.credentialsFile !== undefined && {
      authenticator: credsAuthenticator(new TextEncoder().encode(credentials.credentialsFile)),
    }),
  };
  setTransportFactory({ factory: () => new GuardedTransport() });
  try {
    const nats = await NatsConnectionImpl.connect(options);
    return {
      nats,
      async close() {
        await nats.close();
        socket?.destroy();
      },
    };
  } catch (error) {
    // The library leaves a socket open on which no server has answered.
    isGivenUp = true;
    socket?.destroy();
    throw error;
  }
}

interface PublishResult {
  /** 200, or the code of the server's error; null without an answer. */
  status: number | null;
  detail: string;
}

/** The answer of a server that is a NATS server; undefined for every other failure, of which nothing is told. */
function describeRefusal(error: unknown, subject: string): PublishResult | undefined {
  // The library puts some errors of the server into the cause of another one.
  for (const each of [error, Object(error).cause as unknown]) {
    if (each instanceof JetStreamApiError) return { status: each.status, detail: each.message };
    if (each instanceof errors.AuthorizationError || each instanceof errors.UserAuthenticationExpiredError)
      return { status: 401, detail: 'The server refused the credentials' };
    if (each instanceof errors.PermissionViolationError)
      return { status: 403, detail: `The credentials do not permit messages to ${subject}` };
    if (each instanceof errors.RequestError && each.isNoResponders())
      return { status: 503, detail: `No stream of the server has the subject ${subject}` };
  }
  return undefined;
}

const describeAck = ({ stream, seq, duplicate }: PubAck): string =>
  `Stream ${stream}, sequence ${seq}${duplicate ? ', already stored' : ''}`;

export interface JetStreamPublisher {
  /** Publishes a message and waits until the stream has stored it. `Nats-Msg-Id` makes the stream drop a second copy. */
  publish(message: { messageId: string; body: string }): Promise<PublishResult>;
  close(): Promise<void>;
}

/** A publisher with one connection, which the first message opens and a failure closes. */
export function createJetStreamPublisher(egress: Egress, target: JetStreamTarget): JetStreamPublisher {
  let connection: Connection | undefined;
  const close = async (): Promise<void> => {
    const closing = connection;
    connection = undefined;
    await closing?.close();
  };
  const publish = async ({
    messageId,
    body,
  }: {
    messageId: string;
    body: string;
  }): Promise<PublishResult> => {
    try {
      connection ??= await open(egress, target);
      const contentType = headers();
      contentType.set('Content-Type', 'application/json');
      const ack = await jetstream(connection.nats).publish(target.subject, body, {
        msgID: messageId,
        headers: contentType,
        timeout: egress.timeLimitMs * PUBLISH_SHARE,
      });
      return { status: 200, detail: describeAck(ack) };
    } catch (error) {
      await close();
      const refusal = describeRefusal(error, target.subject);
      if (refusal) return refusal;
      throw error;
    }
  };
  return {
    close,
    async publish(message) {
      try {
        return await egress.run(() => publish(message));
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        return { status: null, detail: error.message };
      }
    },
  };
}
