import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { beginPasskeyRegistration, registerPasskey } from '../../../api/generated/sdk.gen.ts';
import type { PasskeyOptions, RegisteredPasskey } from '../../../api/generated/types.gen.ts';
import { PasskeyUnused } from '../../../shell/access/passkeys.ts';

const isCreation = (
  options: PasskeyOptions,
): options is PasskeyOptions & PublicKeyCredentialCreationOptionsJSON =>
  'rp' in options && 'user' in options && 'pubKeyCredParams' in options;

/** Asks the browser for a new passkey and adds it to the account. */
export async function makePasskey(name: string): Promise<RegisteredPasskey> {
  const { data: options } = await beginPasskeyRegistration();
  if (!isCreation(options)) throw new TypeError('These are no options to make a passkey with');
  const { startRegistration } = await import('@simplewebauthn/browser');
  const made = await startRegistration({ optionsJSON: options }).catch((cause: unknown) => {
    throw new PasskeyUnused('No passkey was made', { cause });
  });
  const passkey = { ...made, response: { ...made.response } };
  return (await registerPasskey({ body: { name, passkey } })).data;
}
