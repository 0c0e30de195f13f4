#include <gtest/gtest.h>

#include "authoring/case_proposals.h"

namespace kgrade::authoring::parameter_meaning_test {

TEST(ParameterMeaning, RolesFollowTheNames) {
  EXPECT_EQ(meaning_of("batch_size").role, ParameterRole::batch);
  EXPECT_EQ(meaning_of("in_channels").role, ParameterRole::in_channels);
  EXPECT_EQ(meaning_of("outChannels").role, ParameterRole::out_channels);
  EXPECT_EQ(meaning_of("output_padding_h").role, ParameterRole::output_padding);
  EXPECT_EQ(meaning_of("padding").role, ParameterRole::padding);
  EXPECT_EQ(meaning_of("groups").role, ParameterRole::groups);
  EXPECT_EQ(meaning_of("num_groups").role, ParameterRole::norm_groups);
  EXPECT_EQ(meaning_of("kernel_size").role, ParameterRole::kernel);
  EXPECT_EQ(meaning_of("rows").role, ParameterRole::extent);
}

TEST(ParameterMeaning, AxesAndPoolings) {
  EXPECT_EQ(meaning_of("kernel_d").axis, 'd');
  EXPECT_EQ(meaning_of("stride_h").axis, 'h');
  EXPECT_EQ(meaning_of("dilation").axis, 0);
  EXPECT_TRUE(meaning_of("pool_size").of_pool);
  EXPECT_EQ(meaning_of("pool_size").role, ParameterRole::kernel);
}

}  // namespace kgrade::authoring::parameter_meaning_test
