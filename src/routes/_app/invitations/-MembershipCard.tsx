import { LINK_DAYS, PERMANENT, REMINDER_DAYS, TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { daysAfter } from '../../../lib/ends.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import type { FieldOption } from '../../../ui/form/options.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { May } from './-choices.ts';
import { DaysField } from './-DaysField.tsx';
import { changeSettings } from './-draft.ts';
import type { draft } from './-draft.ts';
import { endWords, inDays } from './-terms.ts';

const TYPES = [
  { value: PERMANENT, label: 'Permanent' },
  { value: TEMPORARY, label: 'Temporary' },
];
const WAYS = [
  { value: 'add', label: 'Add them now' },
  { value: 'invite', label: 'Invite them' },
] as const;

interface MembershipCardProps {
  settings: ReturnType<typeof draft.get>['settings'];
  options: readonly FieldOption[];
  /** What the chosen groups give together. */
  gives: string | undefined;
  reasons: May;
}

/** What is so for everybody who is invited or added here. */
export function MembershipCard({ settings, options, gives, reasons }: MembershipCardProps) {
  const { type, days, addable } = settings;
  const { control } = useForm({ defaultValues: { groups: [...settings.groups] } });
  const groups = useWatch({ control, name: 'groups' });
  // The draft outlives this form, which is only how groups are chosen.
  useEffect(() => changeSettings({ groups }), [groups]);

  return (
    <Card title="Membership">
      <CardBody>
        <div className="inv-terms">
          {reasons.invite === undefined && (
            <Side label="Type" hint={`The link in the e-mail works for ${inDays(LINK_DAYS)}.`}>
              <Choice
                label="Type"
                options={TYPES}
                value={type}
                onChange={(value) => changeSettings({ type: value })}
              />
            </Side>
          )}
          {type === TEMPORARY && (
            <DaysField
              label="Duration"
              days={days}
              onChange={(next) => changeSettings({ days: next })}
              hint={
                days !== undefined && (
                  <>
                    Accepted today, it ends <strong>{endWords(daysAfter(days))}</strong>. It ends by itself,
                    and they are told {inDays(REMINDER_DAYS)} before.
                  </>
                )
              }
            />
          )}
          <MultiSelectField
            control={control}
            name="groups"
            label="Groups"
            placeholder="Choose groups"
            options={options}
            hint={gives ?? 'Without a group they may sign in and do nothing yet.'}
          />
          <Side label="Who can be added without confirmation" hint={ruleFor(type, reasons)}>
            {reasons.add === undefined && reasons.invite === undefined && type === PERMANENT && (
              <Choice
                label="Who can be added without confirmation"
                options={WAYS}
                value={addable}
                onChange={(value) => changeSettings({ addable: value })}
              />
            )}
          </Side>
        </div>
      </CardBody>
    </Card>
  );
}

/** Who is eligible (spec 4.2 rule 2), or why nobody is now. */
function ruleFor(type: number, { invite, add }: May): string {
  if (add !== undefined) return `Nobody: adding people ${lower(add)}. Everybody is invited.`;
  if (type === TEMPORARY) return 'Nobody: a temporary membership always begins with an invitation.';
  const rule =
    'Only people whose e-mail domain is the dedicated domain of this site, as set in the global administration.';
  return invite === undefined ? rule : `${rule} Inviting ${lower(invite)}.`;
}

const lower = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function Side({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="field inv-side">
      <span className="field-label">{label}</span>
      {children}
      {hint !== undefined && <p className="field-hint">{hint}</p>}
    </div>
  );
}
