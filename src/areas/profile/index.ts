export { SessionList } from './pages/SessionList.tsx';
