import { FileSpreadsheet } from 'lucide-react';
import { useDirectory } from '../../../../directory/directory.ts';
import { useImportRun } from '../../../../import/run.ts';
import type { About } from '../../../../import/keep.ts';
import { HEADINGS } from '../../../../import/people/fields.ts';
import { saveTemplate } from '../../../../import/people/template.ts';
import { ChooseFile, Ready } from '../../../../import/view/Prepare.tsx';
import { Running } from '../../../../import/view/Running.tsx';
import { count } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { ColumnsCard } from './-ColumnsCard.tsx';
import { canTellPeople, useCheck, usePeoplePreparation } from './-use-preparation.ts';
import type { PreparedPeople } from './-use-preparation.ts';
import '../../../../import/view/import.css';

const ABOUT: About = {
  place: 'people',
  words: ['person', 'people'],
  labels: HEADINGS,
  detail: HEADINGS.email,
};
const PAGE = { title: 'Import users', subject: 'Person' };

/** From a file to people: prepared here, then followed here or in the tray. */
export function ImportPage() {
  const run = useImportRun(ABOUT.place);
  const preparation = usePeoplePreparation();
  const { error, size } = useDirectory();
  // Rows are compared with everybody: who may not read people cannot import any.
  if (error?.status === 403 && size === undefined) throw error;
  if (run) return <Running run={run} {...PAGE} onAgain={(file) => void preparation.open(file)} />;
  const { stage } = preparation;
  if (stage.at === 'ready') return <Prepare key={stage.id} prepared={stage} preparation={preparation} />;
  return (
    <ChooseFile
      preparation={preparation}
      title={PAGE.title}
      meta="Create and change many from a file"
      row="One person"
      actions={
        <Button size="small" icon={FileSpreadsheet} onClick={saveTemplate}>
          Download the template
        </Button>
      }
    />
  );
}

interface PrepareProps {
  prepared: PreparedPeople;
  preparation: ReturnType<typeof usePeoplePreparation>;
}

function Prepare({ prepared, preparation }: PrepareProps) {
  const { change, readAs, giveUp } = preparation;
  const check = useCheck(prepared);
  return (
    <Ready {...PAGE} {...{ prepared, check }} about={ABOUT} onGiveUp={giveUp} blocked={useBlocked(prepared)}>
      <ColumnsCard
        prepared={prepared}
        onChange={change}
        onReadAs={(part) => void readAs(part)}
        onGiveUp={giveUp}
      />
    </Ready>
  );
}

/** What stands where the rows would be, as long as they cannot be compared with everybody. */
function useBlocked({ setup }: PreparedPeople) {
  const { complete, size = 0 } = useDirectory();
  if (!complete)
    return (
      <Banner tone="info" title="Everybody of this site is still being read">
        {count(size)} people so far. Then the rows are compared with them.
      </Banner>
    );
  return canTellPeople(setup.mapping) ? undefined : null;
}
