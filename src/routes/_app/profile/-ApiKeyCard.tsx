import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKeyInfo, ApiKeySecret } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
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
  const { apiKey: key } = useSuspenseQuery(keyQuery).data;
  const [secret, setSecret] = useState<ApiKeySecret>();
  const { part, goOn } = useGoOn<HTMLDivElement>();
  return (
    <Card
      title={`API key for ${site.name}`}
      actions={<Badge tone={key ? 'ok' : 'neutral'}>{key ? 'On' : 'Off'}</Badge>}
    >
      <div ref={part} className="profile-part" tabIndex={-1}>
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

function KeyFacts({ apiKey, onOff }: { apiKey: ApiKeyInfo; onOff: () => void }) {
  const turnOff = useTurnOff(apiKey, onOff);
  const { clientId, scopes, createdDate, lastUsedDate } = apiKey;
  return (
    <>
      <Facts>
        <Fact label="Client id">
          {clientId} <CopyButton value={String(clientId)} label="Copy client id" />
        </Fact>
        <Fact label="Scopes">{scopeNames(scopes)}</Fact>
        <Fact label="Turned on">
          <Moment at={createdDate} />
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
