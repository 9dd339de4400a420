import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { KEY_REMINDER_DAYS } from '../../../../contract/rules/api-keys.ts';
import type { ApiKeyInfo, ApiKeySecret } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { exactDate } from '../../../lib/dates.ts';
import { distance, isWithin } from '../../../lib/ends.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { useGoOn } from './-go-on.ts';
import { KeySecret } from './-KeySecret.tsx';
import { NewKey } from './-NewKey.tsx';
import { keyQuery } from './-queries.ts';
import { scopeNames } from './-scopes.ts';
import { useTurnOff } from './-turn-off.tsx';

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
