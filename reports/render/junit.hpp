#pragma once
/// junit.xml as Jenkins and GitLab read it.

#include <string>

#include "campaign/model/evidence.hpp"

namespace pybox::reports {

/// One testsuite a group, one testcase an arm (a check that was never run has one, "not run"),
/// names unique. Broken is a failure; vacuous, error and flaky are errors (flaky with its attempts
/// as flakyFailure); not-applicable and unmet are skipped. Within the schema that Jenkins' xunit
/// plugin calls junit-10: nothing of a newer dialect.
std::string junit_xml(const campaign::Evidence& campaign);

}  // namespace pybox::reports
