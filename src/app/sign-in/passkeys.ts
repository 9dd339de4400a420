import type { PasskeyAnswer, PasskeyOptions } from '../../../contract/generated/types.gen.ts';
import { beginPasskeyProof, beginPasskeySignIn } from '../../api/generated/sdk/access.gen.ts';

const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/;

/** Whether passkeys work here: they require a host name and a secure context. */
export const isPasskeySupported = (): boolean =>
  'PublicKeyCredential' in globalThis && isSecureContext && !IP_ADDRESS.test(location.hostname);

/** No passkey was used: the user cancelled or the browser refused, which are indistinguishable by design. */
export class PasskeyNotUsedError extends Error {
  override readonly name = 'PasskeyUnused';
}

async function requestPasskey(options: PasskeyOptions): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    const answer = await startAuthentication({ optionsJSON: options });
    return { ...answer, response: { ...answer.response } };
  } catch (error) {
    throw new PasskeyNotUsedError('The passkey was not used', { cause: error });
  }
}

/** Requests a proof of presence by a passkey of the user. */
export const requestPasskeyProof = async (): Promise<PasskeyAnswer> =>
  requestPasskey((await beginPasskeyProof()).data);

/** Requests a sign-in by any passkey. */
export const requestPasskeySignIn = async (): Promise<PasskeyAnswer> =>
  requestPasskey((await beginPasskeySignIn()).data);
