-- A queued job refreshes an answer, and the queue knows whether one is under way.
alter table reporting.report_cache drop column refreshing_until;
