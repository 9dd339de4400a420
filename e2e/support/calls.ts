/** The interface as somebody signed in calls it, through the browser's door. */
import type { APIRequestContext, Page } from '@playwright/test';
import type { Capability, NewUserInfo, UserInfoResponse } from '../../contract/generated/types.gen.ts';
import type { Person } from './people.ts';

const DOOR = '/console';
const MANAGEMENT = '/api/rest/v1/management';
const headers = { 'X-Steward-Console': '1' };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Somebody whom a test made: how to sign in as them, and what they are called. */
interface Made extends Person {
  id: number;
  name: string;
}

export interface Calls {
  /** A call of the interface; paths are below /api/rest/v1/management. Anything but 2xx is an error. */
  call<Answer>(method: Method, path: string, data?: unknown): Promise<Answer>;
  /** A user with a password and whatever else is said. */
  makeUser(info?: Partial<NewUserInfo>): Promise<Made>;
  /** A group with these capabilities; its id. */
  makeGroup(name: string, capabilities: readonly Capability[]): Promise<number>;
  user(id: number): Promise<UserInfoResponse>;
}

/** A call of the interface in the session of this context; anything but 2xx is an error. */
export async function send(request: APIRequestContext, method: Method, path: string, data?: unknown) {
  const response = await request.fetch(`${DOOR}${path}`, {
    method,
    headers,
    ...(data !== undefined && { data }),
  });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  const text = await response.text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** The site that the service makes first; without its id, a sign-in opens the one used last. */
const FIRST_SITE = 1;

/** Begins a session in the cookies of this context, as the page of signing in does. */
async function beginSession(request: APIRequestContext, { email, password }: Person, siteId = FIRST_SITE) {
  await send(request, 'POST', '/api/session', { email, password, siteId });
}

let made = 0;

/** Signs in and calls. */
export async function callsOf(request: APIRequestContext, person: Person, siteId?: number): Promise<Calls> {
  await beginSession(request, person, siteId);
  const call = async <Answer>(method: Method, path: string, data?: unknown) =>
    (await send(request, method, `${MANAGEMENT}${path}`, data)) as Answer;
  return {
    call,
    async makeUser(info = {}) {
      made += 1;
      const user = {
        email: `person-${process.pid}-${made}@people.example`,
        firstName: 'Person',
        lastName: `Number ${made}`,
        password: 'seven swans a-swimming',
        ...info,
      };
      const id = await call<number>('POST', '/user', user);
      return { ...user, id, name: `${user.firstName} ${user.lastName}` };
    },
    makeGroup: async (name, capabilities) => {
      const answer = await call<{ id: number } | number>('POST', '/user/group', { name, capabilities });
      return typeof answer === 'number' ? answer : answer.id;
    },
    user: (id) => call('GET', `/user/${id}`),
  };
}

/** Opens a page as somebody who is signed in already: the door itself is proved in session.test.ts. */
export async function enter(page: Page, person: Person, path = '/'): Promise<void> {
  // A page that is open asks with the session that ends here.
  await page.goto('about:blank');
  await beginSession(page.request, person);
  await page.goto(path);
}

/** Ends the session of this page on the service, unseen by the page, as an administrator or the hours can. */
export async function endSession(page: Page): Promise<void> {
  await send(page.request, 'DELETE', '/api/session');
}
