import type { Language } from '#kernel';
import type { NoticeTopic } from './notice.js';

type Translated = Exclude<Language, 'en'>;

/** What people call the topics. */
export const TOPIC_NAMES: Readonly<Record<Language, Readonly<Record<NoticeTopic, string>>>> = {
  en: {
    recall: 'Recalls of goods that you hold',
    transfer: 'Transfers that wait for you',
    document: 'Documents that run out',
    alert: 'Alerts',
    webhook: 'Paused webhooks',
    import: 'Finished imports',
  },
  de: {
    recall: 'Rückrufe von Ware, die Sie haben',
    transfer: 'Übergaben, die auf Sie warten',
    document: 'Dokumente, die ablaufen',
    alert: 'Warnungen',
    webhook: 'Angehaltene Webhooks',
    import: 'Beendete Importe',
  },
  fr: {
    recall: 'Rappels de marchandises que vous détenez',
    transfer: 'Transferts qui vous attendent',
    document: 'Documents qui arrivent à échéance',
    alert: 'Alertes',
    webhook: 'Webhooks suspendus',
    import: 'Imports terminés',
  },
  es: {
    recall: 'Retiradas de mercancías que usted tiene',
    transfer: 'Transferencias que le esperan',
    document: 'Documentos que vencen',
    alert: 'Alertas',
    webhook: 'Webhooks en pausa',
    import: 'Importaciones terminadas',
  },
  vi: {
    recall: 'Thu hồi hàng bạn đang giữ',
    transfer: 'Chuyển giao đang chờ bạn',
    document: 'Tài liệu sắp hết hạn',
    alert: 'Cảnh báo',
    webhook: 'Webhook bị tạm dừng',
    import: 'Nhập dữ liệu đã xong',
  },
};

interface FrameTexts {
  /** With `{count}`. */
  readonly several: string;
  readonly noMore: string;
  readonly all: string;
}

export const FRAME: Readonly<Record<Language, FrameTexts>> = {
  en: { several: '{count} notices', noMore: 'No more mails about', all: 'All topics' },
  de: { several: '{count} Hinweise', noMore: 'Keine Mails mehr zu', all: 'Alle Themen' },
  fr: { several: '{count} avis', noMore: 'Ne plus recevoir de mails sur', all: 'Tous les sujets' },
  es: { several: '{count} avisos', noMore: 'No recibir más correos sobre', all: 'Todos los temas' },
  vi: { several: '{count} thông báo', noMore: 'Không nhận thêm thư về', all: 'Tất cả chủ đề' },
};

/**
 * Titles as they are stored, in English, and how they read in other languages. `{…}` is what was filled in. Titles of alerts are those of the
 * reports, in English.
 */
export const TITLES: readonly (readonly [string, Readonly<Record<Translated, string>>])[] = [
  [
    'Lot {lot} is offered to you by {sender}: accept or reject it.',
    {
      de: '{sender} bietet Ihnen das Los {lot} an. Nehmen Sie es an oder lehnen Sie es ab.',
      fr: '{sender} vous propose le lot {lot}. Acceptez-le ou refusez-le.',
      es: '{sender} le ofrece el lote {lot}. Acéptelo o rechácelo.',
      vi: '{sender} chuyển cho bạn lô {lot}. Hãy nhận hoặc từ chối.',
    },
  ],
  [
    'Lot {lot} and {n} more lot(s) are offered to you by {sender}: accept or reject them.',
    {
      de: '{sender} bietet Ihnen das Los {lot} und weitere an ({n}). Nehmen Sie sie an oder lehnen Sie sie ab.',
      fr: '{sender} vous propose le lot {lot} et d’autres ({n}). Acceptez-les ou refusez-les.',
      es: '{sender} le ofrece el lote {lot} y otros ({n}). Acéptelos o rechácelos.',
      vi: '{sender} chuyển cho bạn lô {lot} và các lô khác ({n}). Hãy nhận hoặc từ chối.',
    },
  ],
  [
    'A recall affects {n} lot(s) that you hold. Say what you did with (it|them).',
    {
      de: 'Ein Rückruf betrifft Lose, die Sie haben: {n}. Geben Sie an, was Sie damit getan haben.',
      fr: 'Un rappel concerne des lots que vous détenez : {n}. Indiquez ce que vous en avez fait.',
      es: 'Una retirada afecta a lotes que usted tiene: {n}. Indique qué hizo con ellos.',
      vi: 'Một đợt thu hồi liên quan đến số lô bạn đang giữ: {n}. Hãy cho biết bạn đã làm gì với chúng.',
    },
  ],
  [
    'A recall drill asks about {n} lot(s) that you hold. Say what you did with (it|them).',
    {
      de: 'Eine Rückrufübung fragt nach Losen, die Sie haben: {n}. Geben Sie an, was Sie damit getan haben.',
      fr: 'Un exercice de rappel porte sur des lots que vous détenez : {n}. Indiquez ce que vous en avez fait.',
      es: 'Un simulacro de retirada pregunta por lotes que usted tiene: {n}. Indique qué hizo con ellos.',
      vi: 'Một cuộc diễn tập thu hồi hỏi về số lô bạn đang giữ: {n}. Hãy cho biết bạn đã làm gì với chúng.',
    },
  ],
  [
    'Reminder: a recall still asks what you did with {n} lot(s).',
    {
      de: 'Erinnerung: Ein Rückruf fragt noch, was Sie mit Losen getan haben: {n}.',
      fr: 'Rappel de demande : un rappel attend encore ce que vous avez fait de lots : {n}.',
      es: 'Recordatorio: una retirada aún pregunta qué hizo con lotes: {n}.',
      vi: 'Nhắc lại: một đợt thu hồi vẫn hỏi bạn đã làm gì với số lô: {n}.',
    },
  ],
  [
    'Reminder: a recall drill still asks what you did with {n} lot(s).',
    {
      de: 'Erinnerung: Eine Rückrufübung fragt noch, was Sie mit Losen getan haben: {n}.',
      fr: 'Rappel de demande : un exercice de rappel attend encore ce que vous avez fait de lots : {n}.',
      es: 'Recordatorio: un simulacro de retirada aún pregunta qué hizo con lotes: {n}.',
      vi: 'Nhắc lại: một cuộc diễn tập thu hồi vẫn hỏi bạn đã làm gì với số lô: {n}.',
    },
  ],
  [
    '{document} is valid until {date}.',
    {
      de: '{document} gilt bis {date}.',
      fr: '{document} est valable jusqu’au {date}.',
      es: '{document} es válido hasta el {date}.',
      vi: '{document} có hiệu lực đến {date}.',
    },
  ],
  [
    'The webhook to {host} is paused, because its deliveries fail.',
    {
      de: 'Der Webhook zu {host} ist angehalten, weil seine Zustellungen fehlschlagen.',
      fr: 'Le webhook vers {host} est suspendu, car ses livraisons échouent.',
      es: 'El webhook hacia {host} está en pausa porque sus entregas fallan.',
      vi: 'Webhook đến {host} bị tạm dừng vì không gửi được.',
    },
  ],
  [
    'The check of your import is finished: {valid} of {rows} row(s) can be used.',
    {
      de: 'Die Prüfung Ihres Imports ist beendet. Brauchbare Zeilen: {valid} von {rows}.',
      fr: 'La vérification de votre import est terminée. Lignes utilisables : {valid} sur {rows}.',
      es: 'La comprobación de su importación ha terminado. Filas utilizables: {valid} de {rows}.',
      vi: 'Đã kiểm tra xong tệp nhập của bạn. Số dòng dùng được: {valid} trên {rows}.',
    },
  ],
  [
    'The import of your file is finished: {valid} of {rows} row(s) can be used.',
    {
      de: 'Der Import Ihrer Datei ist beendet. Brauchbare Zeilen: {valid} von {rows}.',
      fr: 'L’import de votre fichier est terminé. Lignes utilisables : {valid} sur {rows}.',
      es: 'La importación de su archivo ha terminado. Filas utilizables: {valid} de {rows}.',
      vi: 'Đã nhập xong tệp của bạn. Số dòng dùng được: {valid} trên {rows}.',
    },
  ],
  [
    'The check of your import was cancelled.',
    {
      de: 'Die Prüfung Ihres Imports wurde abgebrochen.',
      fr: 'La vérification de votre import a été annulée.',
      es: 'La comprobación de su importación se canceló.',
      vi: 'Việc kiểm tra tệp nhập của bạn đã bị hủy.',
    },
  ],
  [
    'The import of your file was cancelled.',
    {
      de: 'Der Import Ihrer Datei wurde abgebrochen.',
      fr: 'L’import de votre fichier a été annulé.',
      es: 'La importación de su archivo se canceló.',
      vi: 'Việc nhập tệp của bạn đã bị hủy.',
    },
  ],
  [
    'The check of your import has failed.',
    {
      de: 'Die Prüfung Ihres Imports ist fehlgeschlagen.',
      fr: 'La vérification de votre import a échoué.',
      es: 'La comprobación de su importación ha fallado.',
      vi: 'Kiểm tra tệp nhập của bạn không thành công.',
    },
  ],
  [
    'The import of your file has failed.',
    {
      de: 'Der Import Ihrer Datei ist fehlgeschlagen.',
      fr: 'L’import de votre fichier a échoué.',
      es: 'La importación de su archivo ha fallado.',
      vi: 'Nhập tệp của bạn không thành công.',
    },
  ],
];
