import { beginPasskeyProof, beginPasskeySignIn } from '../../api/generated/sdk.gen.ts';
import type { PasskeyAnswer, PasskeyOptions } from '../../api/generated/types.gen.ts';

const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/;

/** Whether this browser can ask for a passkey here: they belong to a host name, and to a page that nobody can change. */
export const passkeysPossible = (): boolean =>
  'PublicKeyCredential' in globalThis && isSecureContext && !IP_ADDRESS.test(location.hostname);

/** The person said no, or the browser did; both look alike on purpose. */
export class PasskeyUnused extends Error {
  override readonly name = 'PasskeyUnused';
}

async function askFor(options: PasskeyOptions): Promise<PasskeyAnswer> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    const answer = await startAuthentication({ optionsJSON: options });
    return { ...answer, response: { ...answer.response } };
  } catch (error) {
    throw new PasskeyUnused('The passkey was not used', { cause: error });
  }
}

/** A proof by one of the person's passkeys. */
export const askForProof = async (): Promise<PasskeyAnswer> => askFor((await beginPasskeyProof()).data);

/** A sign-in by a passkey, whoever's it is. */
export const askForSignIn = async (): Promise<PasskeyAnswer> => askFor((await beginPasskeySignIn()).data);
