export { KnownElsewhere, useKnownElsewhere } from './pages/KnownElsewhere.tsx';
