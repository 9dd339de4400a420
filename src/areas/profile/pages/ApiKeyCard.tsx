import { useSuspenseQuery, useQuery } from '@tanstack/react-query';
import { Copy } from 'lucide-react';
import { useState, useId } from 'react';
import type {
  ApiKeyInfo,
  ApiKeySecret,
  Scope,
  ApiKeyCalls,
  ApiKeyUsage,
} from '../../../../contract/generated/types.gen.ts';
import { API_KEY_REMINDER_DAYS } from '../../../../contract/rules/people/users.ts';
import { toServiceError } from '../../../api/errors.ts';
import { disableApiKeyMutation, enableApiKeyMutation } from '../../../api/generated/queries/tokens.gen.ts';
import {
  useSession,
  hasAnyCapability,
  formatMissingCapabilities,
  usePermission,
} from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import {
  formatExactDate,
  formatShortDate,
  formatDistance,
  isWithinDays,
  addDays,
} from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { describeApiKeyUse } from '../model/api-key-use.ts';
import { keyQuery, usageQuery } from '../model/queries.ts';
import { formatScopes, SCOPES } from '../model/scopes.ts';
import { useFocusTarget } from '../model/use-focus-target.ts';

/** API key of the user on this site: turning it on and off, expiry and usage (spec 5.3). */
export function ApiKeyCard() {
  const { site } = useSession();
  const { apiKey: key, expiredApiKey: expired } = useSuspenseQuery(keyQuery).data;
  const [secret, setSecret] = useState<ApiKeySecret>();
  const { targetRef, focusTarget } = useFocusTarget<HTMLDivElement>();
  return (
    <Card
      title={`API key for ${site.name}`}
      actions={
        key ? <Badge tone="ok">On</Badge> : expired ? <Badge tone="warn">Expired</Badge> : <Badge>Off</Badge>
      }
    >
      <div ref={targetRef} className="profile-part" tabIndex={-1}>
        {!key && expired && <ExpiredBanner apiKey={expired} />}
        {key ? <KeyFacts apiKey={key} onOff={focusTarget} /> : <NewKey onMade={setSecret} />}
      </div>
      {secret && (
        <KeySecret
          secret={secret}
          onClose={() => {
            setSecret(undefined);
            focusTarget();
          }}
        />
      )}
    </Card>
  );
}

/** An expired key cannot be turned on again (spec 5.3). */
function ExpiredBanner({ apiKey: { clientId, expiresDate } }: { apiKey: ApiKeyInfo }) {
  if (!expiresDate) return null;
  return (
    <div className="profile-banner">
      <Banner tone="warn" title={`The API key ${clientId} expired on ${formatExactDate(expiresDate)}`}>
        Programs that use it are refused since then, and it cannot be turned on again. Turn on a new key and
        give the programs its id and secret.
      </Banner>
    </div>
  );
}

/** Warning in the last days before the key expires; the user also gets an e-mail. */
function ExpiryBanner({ at }: { at: string }) {
  if (!isWithinDays(at, API_KEY_REMINDER_DAYS)) return null;
  return (
    <div className="profile-banner">
      <Banner tone="warn" title={`This key expires ${formatDistance(at)}`}>
        Programs that use it will then be refused, and it cannot be turned on again. Replace it with a new key
        at a convenient time before.
      </Banner>
    </div>
  );
}

function KeyFacts({ apiKey, onOff }: { apiKey: ApiKeyInfo; onOff: () => void }) {
  const turnOff = useTurnOffKey(apiKey, onOff);
  const { clientId, scopes, createdDate, lastUsedDate, expiresDate } = apiKey;
  return (
    <>
      {expiresDate && <ExpiryBanner at={expiresDate} />}
      <Facts>
        <Fact label="Client id">
          {clientId} <CopyButton value={String(clientId)} label="Copy client id" />
        </Fact>
        <Fact label="Scopes">{formatScopes(scopes)}</Fact>
        <Fact label="Turned on">
          <Timestamp at={createdDate} />
        </Fact>
        <Fact label="Expires">
          {expiresDate ? (
            <>
              <Timestamp at={expiresDate} />, {formatDistance(expiresDate)}
            </>
          ) : (
            'Never'
          )}
        </Fact>
        <Fact label="Last used">
          {typeof lastUsedDate === 'string' ? <Timestamp at={lastUsedDate} /> : 'Never'}
        </Fact>
      </Facts>
      <div className="profile-foot profile-stack">
        <p className="profile-soft">
          The secret is not stored and cannot be shown. A key that is turned off cannot be turned on again.
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

/** Returns a function that turns the key off after a confirmation that shows its usage (spec 5.3). */
function useTurnOffKey({ clientId }: ApiKeyInfo, onOff: () => void): () => Promise<void> {
  const off = useWrite('disableApiKey', disableApiKeyMutation());
  return async () => {
    const done = await confirmIrreversible({
      title: `Turn off the API key ${clientId}?`,
      irreversible:
        'The same key cannot be enabled again. You can turn on a new one with another id and secret.',
      breaks: 'Every connection that uses it ends immediately, and its access tokens are revoked.',
      affects: 'Everyone who runs the programs below. Your work in the console is not affected.',
      details: <KeyUsage />,
      action: 'Turn off for good',
      expectedText: String(clientId),
      run: () => off.mutateAsync({}),
    });
    if (!done) return;
    toast({ title: `The API key ${clientId} is off for good` });
    onOff();
  };
}

/** Shows the id and secret of a new key once; asks for confirmation before closing without copying the secret. */
function KeySecret({ secret, onClose }: { secret: ApiKeySecret; onClose: () => void }) {
  const { clientId, clientSecret, expiresDate } = secret;
  const use = describeApiKeyUse(location.origin, secret);
  const [isCopied, setIsCopied] = useState(false);
  useUnsavedGuard(!isCopied, undefined, confirmCloseSecret);
  const close = async () => {
    if (isCopied || (await confirmCloseSecret())) onClose();
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(clientSecret);
      announce('Copied');
      setIsCopied(true);
    } catch {
      // The clipboard is available in a secure context only.
      toast({ title: 'The browser does not allow copying here: select the secret and copy it', tone: 'bad' });
    }
  };
  return (
    <Dialog
      title="Your API key is on"
      role="alertdialog"
      onClose={() => void close()}
      footer={
        <>
          <Button onClick={() => void close()}>Close</Button>
          <Button variant="primary" icon={Copy} onClick={() => void copy()}>
            {isCopied ? 'Copied' : 'Copy the secret'}
          </Button>
        </>
      }
    >
      <p>
        <strong>The secret is never shown again</strong> and cannot be read from the service. Store it for
        your program before you close this dialog.
        {expiresDate && ` It works until ${formatExactDate(expiresDate)}.`}
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
      <div className="profile-secret">
        Address for access tokens
        <span>
          <code>{use.tokenUrl}</code>
          <CopyButton value={use.tokenUrl} label="Copy the address" />
        </span>
      </div>
      <div className="profile-secret">
        Environment variables (.env)
        <span>
          <pre>{use.env.replace(clientSecret, '…')}</pre>
          <CopyButton
            value={use.env}
            label="Copy the variables with the secret"
            onCopied={() => setIsCopied(true)}
          />
        </span>
      </div>
      <div className="profile-secret">
        Get a token, then make a first call
        {use.commands.map((command, at) => (
          <span key={command}>
            <code>{command}</code>
            <CopyButton value={command} label={at === 0 ? 'Copy the token request' : 'Copy the first call'} />
          </span>
        ))}
      </div>
      <p>
        <a href="/api/current" target="_blank" rel="noreferrer">
          API reference
        </a>
      </p>
    </Dialog>
  );
}

const NO_EXPIRY = 0;
const EXPIRY_OPTIONS = [
  { value: 30, label: '30 days' },
  { value: 90, label: '90 days' },
  { value: 365, label: '1 year' },
  { value: NO_EXPIRY, label: 'Never' },
];
/** Long enough for regular renewal, short enough that a forgotten key does not stay valid. */
const DEFAULT_EXPIRY_DAYS = 365;

/** Form that turns a key on; no scope is selected initially. */
function NewKey({ onMade }: { onMade: (secret: ApiKeySecret) => void }) {
  const id = useId();
  const session = useSession();
  const { reason } = usePermission('enableApiKey');
  const enable = useWrite('enableApiKey', enableApiKeyMutation());
  const [selectedScopes, setSelectedScopes] = useState<readonly Scope[]>([]);
  const [days, setDays] = useState(DEFAULT_EXPIRY_DAYS);
  const toggleScope = (scope: Scope, isOn: boolean) =>
    setSelectedScopes([...selectedScopes.filter((other) => other !== scope), ...(isOn ? [scope] : [])]);
  const turnOn = async () => {
    const expiresInDays = days === NO_EXPIRY ? null : days;
    const body = { scopes: [...selectedScopes], expiresInDays };
    // A reading of the key may replace this form before the answer with the secret.
    const secret = await enable.mutateAsync({ body }).catch(() => undefined);
    if (secret) onMade(secret);
  };
  return (
    <CardBody>
      <div className="profile-stack">
        <p className="profile-soft">
          Lets programs call the API on your behalf, limited to your capabilities and to its scopes. The
          secret is shown once.
        </p>
        {enable.error && <FailureBanner failure={enable.error} />}
        <fieldset className="profile-scopes">
          <legend>Scopes</legend>
          {SCOPES.map(({ scope, label, sentence, anyOf }) => (
            <Toggle
              key={scope}
              kind="checkbox"
              id={`${id}-${scope}`}
              label={label}
              hint={sentence}
              disabledReason={
                reason ?? (hasAnyCapability(session, anyOf) ? undefined : formatMissingCapabilities(anyOf))
              }
              checked={selectedScopes.includes(scope)}
              onChange={(isOn) => toggleScope(scope, isOn)}
            />
          ))}
        </fieldset>
        <div className="profile-ends">
          <strong aria-hidden="true">Expires after</strong>
          <SegmentedControl label="Expires after" options={EXPIRY_OPTIONS} value={days} onChange={setDays} />
          <p className="profile-soft">
            {days === NO_EXPIRY
              ? 'It works until you turn it off, for anyone who has its secret.'
              : `It expires on ${formatShortDate(addDays(days))} and cannot be renewed. You will get an e-mail ${API_KEY_REMINDER_DAYS} days before.`}
          </p>
        </div>
        <div>
          <Button
            variant="primary"
            pending={enable.isPending}
            disabledReason={reason ?? (selectedScopes.length === 0 ? 'Choose at least one scope' : undefined)}
            onClick={() => void turnOn()}
          >
            Turn on
          </Button>
        </div>
      </div>
    </CardBody>
  );
}

/** Asks for confirmation before closing a secret that was not copied. */
const confirmCloseSecret = (): Promise<boolean> =>
  confirm({
    title: 'Close without copying the secret?',
    body: 'It is never shown again. Without it the key is useless and must be turned off before you can turn on a new one.',
    action: 'Close',
    cancel: 'Back to the secret',
    danger: true,
  });

/** Rows shown per table; the rest is summed up. */
const MAX_ROWS = 4;

const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const formatDay = (date: string): string => dayFormat.format(new Date(date));

/** Usage of the API key: calls of the last 30 days, and open tokens and streams (spec 5.3). */
function KeyUsage() {
  const { data, error, refetch } = useQuery(usageQuery);
  if (error)
    return (
      <ErrorState title="The usage of the key could not be loaded" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  return data ? <Usage usage={data} /> : <Skeleton width="70%" />;
}

function Usage({ usage }: { usage: ApiKeyUsage }) {
  const { calls, operations, addresses, agents } = usage;
  const open = formatOpenUses(usage);
  return (
    <section className="profile-use" aria-label="Usage of the key">
      <Banner tone={calls === 0 && open === undefined ? 'ok' : 'warn'}>
        {calls === 0
          ? 'No calls with this key in the last 30 days.'
          : `${pluralize(calls, 'call', 'calls')} in the last 30 days, from ${pluralize(addresses.length, 'address', 'addresses')}.`}{' '}
        {open ?? 'No open connections.'}
        {formatUnavailable(usage)}
      </Banner>
      <CallsTable title="Calls by operation" rows={operations} />
      <CallsTable title="Calls by address" rows={addresses} />
      <CallsTable title="Calls by program" rows={agents} />
      {calls > 0 && <p className="profile-soft">Calls are counted per day and shown within two minutes.</p>}
    </section>
  );
}

/** Open tokens, streams and imports that would be interrupted; undefined if there are none. */
function formatOpenUses({ tokens, openStreams, runningImports }: ApiKeyUsage): string | undefined {
  const parts = [
    ...(tokens > 0 ? [pluralize(tokens, 'access token', 'access tokens')] : []),
    ...(openStreams ? [pluralize(openStreams, 'stream', 'streams')] : []),
    ...(runningImports ? [pluralize(runningImports, 'running import', 'running imports')] : []),
  ];
  return parts.length === 0 ? undefined : `Open now: ${parts.join(', ')}.`;
}

/** Names features that this service does not have; their count is null instead of zero. */
function formatUnavailable({ openStreams, runningImports }: ApiKeyUsage): string {
  const missing = [
    ...(openStreams === null ? ['streams of events'] : []),
    ...(runningImports === null ? ['imports of e-mails and meetings'] : []),
  ];
  return missing.length === 0 ? '' : ` This service has no ${missing.join(' and no ')} yet.`;
}

function CallsTable({ title, rows }: { title: string; rows: readonly ApiKeyCalls[] }) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption>{title}</caption>
      <thead className="visually-hidden">
        <tr>
          <th>Name</th>
          <th>Calls</th>
          <th>Last</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MAX_ROWS).map(({ name, label, calls, lastDate }) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td className="num">{formatNumber(calls)}</td>
            <td>{formatDay(lastDate)}</td>
          </tr>
        ))}
        {rows.length > MAX_ROWS && (
          <tr>
            <th scope="row">And {rows.length - MAX_ROWS} more</th>
            <td className="num">{formatNumber(sumCalls(rows.slice(MAX_ROWS)))}</td>
            <td>{formatLastDay(rows.slice(MAX_ROWS))}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

const sumCalls = (rows: readonly ApiKeyCalls[]): number =>
  rows.reduce((total, { calls }) => total + calls, 0);

const formatLastDay = (rows: readonly ApiKeyCalls[]): string =>
  formatDay(rows.reduce((last, { lastDate }) => (lastDate > last ? lastDate : last), ''));
