/** Link types of the GS1 Web Vocabulary 1.19, without those that a resolver gives itself (`defaultLink`, `defaultLinkMulti`, `handledBy`). */
export const LINK_TYPE_NAMES: readonly string[] = (
  'activityIdeas allergenInfo appDownload backgroundInfo brandHomepageClinical brandHomepagePatient careersInfo certificationInfo ' +
  'consumerHandlingStorageInfo dpp eifu epcis epil eventsInfo faqs hasRetailers homepage ingredientsInfo instructions jws leaveReview ' +
  'locationInfo logisticsInfo loyaltyProgram masterData menuInfo nutritionalInfo openingHoursInfo paymentLink pip ' +
  'productSustainabilityInfo promotion purchaseSuppliesOrAccessories quickStartGuide recallStatus recipeInfo registerProduct ' +
  'registryEntry relatedImage relatedVideo reportFound review safetyInfo scheduleTime serviceInfo smartLabel smpc socialMedia ' +
  'statisticInfo subscribe support sustainabilityInfo traceability tutorial userAgreement verificationService whatsInTheBox'
).split(' ');

/** Of the terms of `gs1:`. */
export const VOCABULARY = 'https://ref.gs1.org/voc/';
/** Where it was before, and what other resolvers write. */
const NAMESPACES = /^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)?/;

/** `gs1:pip`, `pip` or the whole address of the vocabulary, as `pip`; the text as it is where it is another one. */
export const linkTypeName = (text: string): string => text.replace(NAMESPACES, '');
