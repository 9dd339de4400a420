import { CalendarClock, FileClock, FilePlus } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

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
};

export default palette;
