import { lazyPage } from './parts/lazy-page';
import { WithoutSessionFrame } from './parts/without-session-frame';
import { PlatformFrame } from './parts/platform-frame';
import { Shell } from './parts/shell';
import { HomePage } from './pages/home';
import { ChooseTenantPage } from './pages/choose-tenant';
import { SignInPage } from './pages/sign-in';
import { Empty } from './parts/basics';
import { LotsPage } from './pages/lots';
import { t } from './state/language';
import { path } from './state/router';
import { me, resuming, session } from './state/session';
import { isWithoutSession } from './state/without-session';

const AccountPage = lazyPage(() => import('./pages/account'));
const ForgottenPasswordPage = lazyPage(() => import('./pages/account/forgotten'));
const NewPasswordPage = lazyPage(() => import('./pages/account/new-password'));
const PasskeysPage = lazyPage(() => import('./pages/passkeys'));
const InvitationPage = lazyPage(() => import('./pages/invitation'));
const EventPage = lazyPage(() => import('./pages/event/event'));
const LotPage = lazyPage(() => import('./pages/lot'));
const NoticesPage = lazyPage(() => import('./pages/notices'));
const RecallAnswersPage = lazyPage(() => import('./pages/recall/one'));
const RecallsPage = lazyPage(() => import('./pages/recalls'));
const DrillPage = lazyPage(() => import('./pages/drill'));
const RecordPage = lazyPage(() => import('./pages/record'));
const RecallPage = lazyPage(() => import('./pages/recall/preview'));
const OffersPage = lazyPage(() => import('./pages/offers'));
const AdminPages = lazyPage(() => import('./pages/admin'));
const ReportPages = lazyPage(() => import('./pages/reports'));
const ExchangePages = lazyPage(() => import('./pages/exchange'));
const PassportPages = lazyPage(() => import('./pages/passports'));
const OnboardingPage = lazyPage(() => import('./pages/onboarding'));
const PlatformPage = lazyPage(() => import('./pages/platform'));
const CapturesPage = lazyPage(() => import('./pages/captures'));
const WaitingPage = lazyPage(() => import('./pages/waiting'));
const TransactionsPage = lazyPage(() => import('./pages/transactions'));

export function App() {
  if (path.value === '/invitation') return <InvitationPage />;
  if (path.value === '/password') return <NewPasswordPage />;
  if (path.value === '/forgotten') return <ForgottenPasswordPage />;
  if (resuming.value)
    return (
      <p class="waiting" role="status">
        {t('Signing in …')}
      </p>
    );
  if (isWithoutSession.value)
    return (
      <WithoutSessionFrame>
        <RecordPage />
      </WithoutSessionFrame>
    );
  if (!session.value || !me.value) return <SignInPage />;
  if (!me.value.tid && me.value.isPlatformAdmin && me.value.memberships.length === 0)
    return (
      <PlatformFrame>
        <PlatformPage />
      </PlatformFrame>
    );
  if (!me.value.tid) return <ChooseTenantPage />;
  // Another tenant is another page: nothing of the one before stays on it.
  return <Shell key={me.value.tid}>{pageAt(path.value)}</Shell>;
}

function pageAt(at: string) {
  const recall = /^\/lots\/(\d+)\/recall$/.exec(at);
  if (recall) return <RecallPage key={recall[1]} tokenId={Number(recall[1])} />;
  const drill = /^\/recalls\/drills\/([\w-]+)$/.exec(at);
  if (drill) return <DrillPage key={drill[1]} id={drill[1]!} />;
  const asked = /^\/recalls\/([\da-f-]{36})$/.exec(at);
  if (asked) return <RecallAnswersPage key={asked[1]} id={asked[1]!} />;
  const event = /^\/events\/([\da-f-]{36})$/.exec(at);
  if (event) return <EventPage key={event[1]} id={event[1]!} />;
  const lot = /^\/lots\/(\d+)$/.exec(at);
  if (lot) return <LotPage key={lot[1]} tokenId={Number(lot[1])} />;
  const capture = /^\/captures\/([\w-]+)$/.exec(at);
  if (capture) return <CapturesPage id={capture[1]!} />;
  if (at === '/exchange' || at.startsWith('/exchange/')) return <ExchangePages at={at.slice('/exchange/'.length)} />;
  if (at === '/passports' || at.startsWith('/passports/')) return <PassportPages at={at.slice('/passports/'.length)} />;
  if (at.startsWith('/admin/')) return <AdminPages at={at.slice('/admin/'.length)} />;
  if (at === '/reports' || at.startsWith('/reports/')) return <ReportPages at={at.slice('/reports/'.length)} />;
  switch (at) {
    case '/':
      return <HomePage />;
    case '/lots':
      return <LotsPage />;
    case '/recalls':
      return <RecallsPage />;
    case '/notices':
      return <NoticesPage />;
    case '/record':
      return <RecordPage />;
    case '/offers':
      return <OffersPage />;
    case '/onboarding':
      return <OnboardingPage />;
    case '/platform':
      return <PlatformPage />;
    case '/account':
      return <AccountPage />;
    case '/passkeys':
      return <PasskeysPage />;
    case '/captures':
      return <CapturesPage id={null} />;
    case '/waiting':
      return <WaitingPage />;
    case '/transactions':
      return <TransactionsPage />;
    default:
      return <Empty>{t('Page not found. Choose one from the navigation.')}</Empty>;
  }
}
