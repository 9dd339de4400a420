import { useSuspenseQuery } from '@tanstack/react-query';
import { useState, useId } from 'react';
import { Copy } from 'lucide-react';
import { KEY_REMINDER_DAYS } from '../../../../contract/rules/api-keys.ts';
import type { ApiKeyInfo, ApiKeySecret, Scope } from '../../../api/generated/types.gen.ts';
import { useSession, can, lacking, useAllowed } from '../../../api/session.ts';
import { exactDate, shortDate } from '../../../lib/dates.ts';
import { distance, isWithin, daysAfter } from '../../../lib/ends.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { useGoOn } from '../model/go-on.ts';
import { keyQuery } from '../model/queries.ts';
import { scopeNames, SCOPES } from '../model/scopes.ts';
import {
  disableApiKeyMutation,
  enableApiKeyMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { BlastRadius } from './BlastRadius.tsx';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { announce } from '../../../ui/feedback/live.ts';
import { mayCloseSecret } from '../model/once.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Check } from '../../../ui/form/Check.tsx';

/** The API key with which programs of the person call the interface on this site (spec 5.3). */
export function ApiKeyCard() {
  const { site } = useSession();
  const { apiKey: key, expiredApiKey: expired } = useSuspenseQuery(keyQuery).data;
  const [secret, setSecret] = useState<ApiKeySecret>();
  const { part, goOn } = useGoOn<HTMLDivElement>();
  return (
    <Card
      title={`API key for ${site.name}`}
      actions={
        key ? <Badge tone="ok">On</Badge> : expired ? <Badge tone="warn">Expired</Badge> : <Badge>Off</Badge>
      }
    >
      <div ref={part} className="profile-part" tabIndex={-1}>
        {!key && expired && <Expired apiKey={expired} />}
        {key ? <KeyFacts apiKey={key} onOff={goOn} /> : <NewKey onMade={setSecret} />}
      </div>
      {secret && (
        <KeySecret
          secret={secret}
          onClose={() => {
            setSecret(undefined);
            goOn();
          }}
        />
      )}
    </Card>
  );
}

/** As good as turned off: it never comes back (spec 5.3). */
function Expired({ apiKey: { clientId, expiresDate } }: { apiKey: ApiKeyInfo }) {
  if (!expiresDate) return null;
  return (
    <div className="profile-banner">
      <Banner tone="warn" title={`The API key ${clientId} expired on ${exactDate(expiresDate)}`}>
        Every program that uses it is refused since then, and the same key never comes back. Turn on another
        one, and give them its id and secret.
      </Banner>
    </div>
  );
}

/** In the last days before the end, on the page as well as by e-mail. */
function EndsSoon({ at }: { at: string }) {
  if (!isWithin(at, KEY_REMINDER_DAYS)) return null;
  return (
    <div className="profile-banner">
      <Banner tone="warn" title={`This key expires ${distance(at)}`}>
        Then every program that uses it is refused, and it never comes back. Turn it off before, at a time
        that suits them, and turn on another one.
      </Banner>
    </div>
  );
}

function KeyFacts({ apiKey, onOff }: { apiKey: ApiKeyInfo; onOff: () => void }) {
  const turnOff = useTurnOff(apiKey, onOff);
  const { clientId, scopes, createdDate, lastUsedDate, expiresDate } = apiKey;
  return (
    <>
      {expiresDate && <EndsSoon at={expiresDate} />}
      <Facts>
        <Fact label="Client id">
          {clientId} <CopyButton value={String(clientId)} label="Copy client id" />
        </Fact>
        <Fact label="Scopes">{scopeNames(scopes)}</Fact>
        <Fact label="Turned on">
          <Moment at={createdDate} />
        </Fact>
        <Fact label="Expires">
          {expiresDate ? (
            <>
              <Moment at={expiresDate} />, {distance(expiresDate)}
            </>
          ) : (
            'Never'
          )}
        </Fact>
        <Fact label="Last used">
          {typeof lastUsedDate === 'string' ? <Moment at={lastUsedDate} /> : 'Not yet'}
        </Fact>
      </Facts>
      <div className="profile-foot profile-stack">
        <p className="profile-soft">
          Its secret is not kept and cannot be shown. A key that is turned off never comes back.
        </p>
        <div>
          <Button variant="danger" onClick={() => void turnOff()}>
            Turn off…
          </Button>
        </div>
      </div>
    </>
  );
}

/** Turning the key off, with what that breaks (spec 5.3). */
function useTurnOff({ clientId }: ApiKeyInfo, onOff: () => void): () => Promise<void> {
  const off = useWrite('disableApiKey', disableApiKeyMutation());
  return async () => {
    const done = await passOneWayDoor({
      title: `Turn off the API key ${clientId}?`,
      final: 'The same key cannot be enabled again. You can turn on another one, with another id and secret.',
      breaks: 'Every connection that uses it, at once; the access tokens it was given for hold no longer.',
      affects: 'Whoever runs the programs below. You go on working in the console as before.',
      details: <BlastRadius />,
      action: 'Turn off for good',
      typed: String(clientId),
      run: () => off.mutateAsync({}),
    });
    if (!done) return;
    toast({ title: `The API key ${clientId} is off for good` });
    onOff();
  };
}

/** Id and secret of a new key, this once: who leaves without the secret is asked. */
function KeySecret({ secret, onClose }: { secret: ApiKeySecret; onClose: () => void }) {
  const { clientId, clientSecret, expiresDate } = secret;
  const [isCopied, setIsCopied] = useState(false);
  useUnsavedGuard(!isCopied);
  const leave = async () => {
    if (isCopied || (await mayCloseSecret())) onClose();
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(clientSecret);
      announce('Copied');
      setIsCopied(true);
    } catch {
      // Browsers allow it only on a secure address.
      toast({ title: 'The browser does not allow copying here: select the secret and copy it', tone: 'bad' });
    }
  };
  return (
    <Dialog
      title="Your API key is on"
      role="alertdialog"
      onClose={() => void leave()}
      footer={
        <>
          <Button onClick={() => void leave()}>Close</Button>
          <Button variant="primary" icon={Copy} onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy the secret'}
          </Button>
        </>
      }
    >
      <p>
        <strong>The secret is never shown again</strong>: nobody can read it out of the service. Put it where
        your program finds it before you close this.
        {expiresDate && ` It works until ${exactDate(expiresDate)}.`}
      </p>
      <div className="profile-secret">
        Client id
        <span>
          <code>{clientId}</code>
          <CopyButton value={String(clientId)} label="Copy client id" />
        </span>
      </div>
      <div className="profile-secret" onCopy={() => setIsCopied(true)}>
        Client secret
        <span>
          <code aria-label="Client secret">{clientSecret}</code>
        </span>
      </div>
    </Dialog>
  );
}

const NEVER = 0;
const ENDS = [
  { value: 30, label: '30 days' },
  { value: 90, label: '90 days' },
  { value: 365, label: '1 year' },
  { value: NEVER, label: 'Never' },
];
/** Long enough to be renewed as a matter of course, short enough that a forgotten key is not open for ever. */
const PROPOSED = 365;

/** Turns a key on, good for what is chosen; nothing is chosen from the start. */
function NewKey({ onMade }: { onMade: (secret: ApiKeySecret) => void }) {
  const id = useId();
  const session = useSession();
  const { reason } = useAllowed('enableApiKey');
  const enable = useWrite('enableApiKey', enableApiKeyMutation());
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [days, setDays] = useState(PROPOSED);
  const choose = (scope: Scope, isOn: boolean) =>
    setChosen([...chosen.filter((other) => other !== scope), ...(isOn ? [scope] : [])]);
  return (
    <CardBody>
      <div className="profile-stack">
        <p className="profile-soft">
          Lets programs call the interface as you, with what you may do yourself and no more than its scopes.
          Its secret is shown once.
        </p>
        {enable.error && <FailureBanner failure={enable.error} />}
        <fieldset className="profile-scopes">
          <legend>Scopes</legend>
          {SCOPES.map(({ scope, label, sentence, anyOf }) => (
            <Check
              key={scope}
              kind="checkbox"
              id={`${id}-${scope}`}
              label={label}
              hint={sentence}
              disabledReason={reason ?? (can(session, anyOf) ? undefined : lacking(anyOf))}
              checked={chosen.includes(scope)}
              onChange={(isOn) => choose(scope, isOn)}
            />
          ))}
        </fieldset>
        <div className="profile-ends">
          <strong aria-hidden="true">Expires after</strong>
          <Choice label="Expires after" options={ENDS} value={days} onChange={setDays} />
          <p className="profile-soft">
            {days === NEVER
              ? 'It works until you turn it off, for whoever has its secret.'
              : `It ends by itself on ${shortDate(daysAfter(days))}, for good. You are told by e-mail ${KEY_REMINDER_DAYS} days before.`}
          </p>
        </div>
        <div>
          <Button
            variant="primary"
            pending={enable.isPending}
            disabledReason={reason ?? (chosen.length === 0 ? 'Choose at least one scope' : undefined)}
            onClick={() => {
              const expiresInDays = days === NEVER ? null : days;
              enable.mutate({ body: { scopes: [...chosen], expiresInDays } }, { onSuccess: onMade });
            }}
          >
            Turn the key on
          </Button>
        </div>
      </div>
    </CardBody>
  );
}
