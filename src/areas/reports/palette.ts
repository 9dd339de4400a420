import { CalendarClock, FileClock, FilePlus } from 'lucide-react';
import { listReportTemplatesOptions } from '../../api/generated/queries/reports.gen.ts';
import type { PaletteContribution } from '../../app/state/palette.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { formatSelection } from './model/selection.ts';

const MAX_TEMPLATES = 6;

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Generated reports',
      hint: 'Reports',
      icon: FileClock,
      href: '/reports/runs',
      needs: 'listReportRuns',
    },
    {
      label: 'Report schedules',
      hint: 'Reports',
      icon: CalendarClock,
      href: '/reports/schedules',
      needs: 'listReportSchedules',
    },
    {
      label: 'Generate a report',
      hint: 'Reports',
      icon: FilePlus,
      href: '/reports/generate',
      needs: 'startReportRun',
    },
  ],
  commands: [
    {
      phrases: ['generate report', 'generate'],
      label: 'Generate a report from a template',
      icon: FilePlus,
      needs: 'startReportRun',
      async find(target, { client, navigate }) {
        const templates = await client.ensureQueryData(listReportTemplatesOptions());
        const items = templates
          .filter(({ status }) => status === 'Ready')
          .map(({ id, name }) => ({
            id: String(id),
            label: `Generate ${name}`,
            icon: FilePlus,
            run: () =>
              void navigate({ to: '/reports/generate', search: formatSelection({ templateId: id }) }),
          }));
        return rankByLabel(items, target).slice(0, MAX_TEMPLATES);
      },
    },
  ],
};

export default palette;
