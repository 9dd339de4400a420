import { useId, useState } from 'react';
import { enableApiKeyMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { ApiKeySecret, Scope } from '../../../api/generated/types.gen.ts';
import { can, lacking, useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { KEY_REMINDER_DAYS } from '../../../../contract/rules/api-keys.ts';
import { shortDate } from '../../../lib/dates.ts';
import { daysAfter } from '../../../lib/ends.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { CardBody } from '../../../ui/layout/Card.tsx';
import { SCOPES } from './-scopes.ts';

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
export function NewKey({ onMade }: { onMade: (secret: ApiKeySecret) => void }) {
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
